// timeline.mjs: how many pairs each frame has, found a few milliseconds at a time, and drawn behind the slider.
export class Timeline {
	constructor(canvas) {
		this.canvas = canvas;
		this.counts = [];
		this.duration = 1;
	}

	// Forget everything: characters, clips or places have changed.
	restart(duration, framesPerSecond) {
		this.duration = duration;
		this.step = 1 / framesPerSecond;
		this.counts = new Array(Math.max(1, Math.round(duration * framesPerSecond))).fill(-1);
		this.next = 0;
	}

	get isDone() {
		return this.next >= this.counts.length;
	}

	// Count frames until the time is up. @param count how many pairs there are at a time
	work(count, milliseconds) {
		const end = performance.now() + milliseconds;
		while (!this.isDone && performance.now() < end) {
			this.counts[this.next] = count(this.next * this.step);
			++this.next;
		}
	}

	get firstContact() {
		const frame = this.counts.findIndex((count) => count > 0);
		return frame >= 0 ? frame * this.step : null;
	}

	get contactFrames() {
		return this.counts.filter((count) => count > 0).length;
	}

	draw(time) {
		const { canvas, counts } = this, scale = Math.min(devicePixelRatio, 2);
		const width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
		if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
		const context = canvas.getContext('2d'), most = Math.max(1, ...counts), each = width / counts.length;
		context.clearRect(0, 0, width, height);
		counts.forEach((count, i) => {
			context.fillStyle = count < 0 ? '#2b333e' : count === 0 ? '#3d4855' : '#ff5a45';
			const tall = count > 0 ? height * (0.25 + 0.65 * count / most) : 3 * scale;
			context.fillRect(i * each, height - tall, Math.max(1, each - scale), tall);
		});
		context.fillStyle = '#fff';
		context.fillRect(Math.min(width - 2 * scale, width * time / this.duration), 0, 2 * scale, height);
	}
}
