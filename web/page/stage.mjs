// stage.mjs: light, floor, camera, and where two characters stand.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

// From where both are seen: aside, a little above.
const viewDirection = new THREE.Vector3(0.62, 0.22, -0.75).normalize();

export class Stage {
	constructor(canvas) {
		this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
		this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
		this.renderer.shadowMap.enabled = true;
		this.scene = new THREE.Scene();
		this.scene.background = new THREE.Color(0x14171c);
		this.scene.fog = new THREE.Fog(0x14171c, 8, 22);
		this.camera = new THREE.PerspectiveCamera(36, 1, 0.01, 200);
		this.controls = new OrbitControls(this.camera, canvas);
		this.controls.enableDamping = true;
		this.controls.listenToKeyEvents(canvas);
		this.#light();
		new ResizeObserver(() => this.#resize()).observe(canvas.parentElement);
		this.#resize();
	}

	#light() {
		this.scene.add(new THREE.HemisphereLight(0xdde8ff, 0x3a3f4a, 1.5));
		this.sun = new THREE.DirectionalLight(0xfff2e0, 2.4);
		this.sun.castShadow = true;
		this.sun.shadow.mapSize.setScalar(2048);
		this.sun.shadow.bias = -0.001;
		this.sun.shadow.normalBias = 0.05;
		this.floor = new THREE.Mesh(new THREE.CircleGeometry(40, 48),
			new THREE.MeshStandardMaterial({ color: 0x262c35, roughness: 1 }));
		this.floor.rotation.x = -Math.PI / 2;
		this.floor.receiveShadow = true;
		this.scene.add(this.sun, this.sun.target, this.floor);
	}

	#resize() {
		const { clientWidth, clientHeight } = this.renderer.domElement.parentElement;
		if (clientWidth === 0 || clientHeight === 0) return;
		this.renderer.setSize(clientWidth, clientHeight, false);
		this.camera.aspect = clientWidth / clientHeight;
		this.camera.updateProjectionMatrix();
		if (this.box) this.frame(this.box);
		this.draw();
	}

	// Look at all of a box, whatever the shape of the window.
	frame(box) {
		this.box = box;
		const center = box.getCenter(new THREE.Vector3()), { radius } = box.getBoundingSphere(new THREE.Sphere());
		this.camera.position.copy(viewDirection).multiplyScalar(this.#distanceTo(box, center)).add(center);
		this.camera.near = radius / 100;
		this.camera.far = 60 * radius;
		this.camera.updateProjectionMatrix();
		this.controls.target.copy(center);
		this.floor.position.y = box.min.y;
		this.floor.scale.setScalar(radius);
		this.scene.fog.near = 5 * radius;
		this.scene.fog.far = 22 * radius;
		this.sun.position.set(1.3, 2.2, -0.5).multiplyScalar(radius).add(center);
		this.sun.target.position.copy(center);
		Object.assign(this.sun.shadow.camera, { left: -1.6 * radius, right: 1.6 * radius, top: 1.6 * radius,
			bottom: -1.6 * radius, near: 0.1 * radius, far: 6 * radius });
		this.sun.shadow.camera.updateProjectionMatrix();
	}

	// How far away all corners of a box are in the picture, with a margin: each needs its height and its width.
	#distanceTo(box, center) {
		const back = viewDirection, right = new THREE.Vector3(0, 1, 0).cross(back).normalize();
		const up = back.clone().cross(right), tall = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)), corner = new THREE.Vector3();
		let distance = 0;
		for (let i = 0; i < 8; ++i) {
			corner.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).sub(center);
			const needed = Math.max(Math.abs(corner.dot(up)), Math.abs(corner.dot(right)) / this.camera.aspect) / tall;
			distance = Math.max(distance, needed + corner.dot(back));
		}
		return 1.02 * distance;
	}

	draw() {
		this.controls.update();
		this.renderer.render(this.scene, this.camera);
	}
}

function boxOf(character) {
	const { lower, upper } = character.bodies[0].update().getBounds();
	return new THREE.Box3(new THREE.Vector3(...lower), new THREE.Vector3(...upper));
}

// Where the second stands: before the first, as far as their boxes at rest reach, turned to it, and as large.
export function findPlace(first, second) {
	for (const { group } of [first, second]) {
		group.position.set(0, 0, 0);
		group.rotation.set(0, 0, 0);
		group.scale.setScalar(1);
	}
	const a = boxOf(first), b = boxOf(second);
	const size = (box) => box.getSize(new THREE.Vector3()).length(), ratio = size(a) / size(b);
	const scale = ratio > 4 || ratio < 0.25 ? ratio : 1;
	const reach = 0.62 * (a.max.z + scale * b.max.z);
	return { position: [0, a.min.y - scale * b.min.y, Math.max(reach, 0.2 * size(a))], turn: 180, scale };
}

// The pair that everybody sees first.
export const kickPlace = { position: [0.05, 0, 1.2], turn: 90, scale: 1 };

export function putInPlace(second, place, distance, turn) {
	const [x, y, z] = place.position;
	second.group.position.set(x * distance, y, z * distance);
	second.group.rotation.y = THREE.MathUtils.degToRad(place.turn + turn);
	second.group.scale.setScalar(place.scale);
}

export function boxOfBoth(characters) {
	return boxOf(characters[0]).union(boxOf(characters[1]));
}
