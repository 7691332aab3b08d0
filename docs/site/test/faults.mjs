// What is wrong with a page, measured inside of it. Playwright sends this function to the browser, so it stands alone.
export function findFaults() {
	const faults = [];
	const parse = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
	const luminance = (rgb) => {
		const [r, g, b] = rgb.map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const over = ([r, g, b, alpha = 1], below) => [r, g, b].map((value, i) => alpha * value + (1 - alpha) * below[i]);
	// What is painted behind an element: its own background over that of its parents, down to the window's white.
	const backgroundOf = (element) => {
		const layers = [];
		for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
		return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
	};
	const opacityOf = (element) => {
		let opacity = 1;
		for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
		return opacity;
	};
	const isShown = (element) => element.checkVisibility?.({ checkOpacity: true, checkVisibilityCSS: true }) ?? true;

	// Contrast of every text, as the guidelines for accessibility ask for: 4.5, and 3 for large letters.
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), seen = new Set();
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		const element = node.parentElement;
		if (!node.textContent.trim() || seen.has(element) || ['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT'].includes(element.tagName)) continue;
		seen.add(element);
		const box = element.getBoundingClientRect();
		const isFar = box.right <= 0 || box.left >= innerWidth;
		if (!isShown(element) || box.width === 0 || isFar || element.closest('.headerlink, [hidden], .md-search, .md-top, .md-header__topic, .md-tabs[hidden]')) continue;
		const style = getComputedStyle(element), background = backgroundOf(element), color = parse(style.color);
		color[3] = (color[3] ?? 1) * opacityOf(element);
		const [light, dark] = [luminance(over(color, background)), luminance(background)].sort((a, b) => b - a);
		const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
		const contrast = (light + 0.05) / (dark + 0.05);
		if (contrast < (isLarge ? 3 : 4.5)) faults.push(`contrast ${contrast.toFixed(2)}: ${element.tagName} .${element.className} '${node.textContent.trim().slice(0, 30)}'`);
		if (size < 10) faults.push(`letters of ${size} px: '${node.textContent.trim().slice(0, 30)}'`);
	}

	// Everything that can be pressed has a name, and every picture words.
	for (const element of document.querySelectorAll('a[href], button, input:not([type=hidden]):not(.md-toggle):not(.md-option), img')) {
		const name = element.getAttribute('aria-label') || element.title || element.alt || element.textContent.trim() || element.placeholder || element.querySelector('img[alt], svg title');
		if (!name && isShown(element)) faults.push(`no name: ${element.outerHTML.slice(0, 80)}`);
	}
	// On a phone what stands alone is large enough for a finger: 24 pixels.
	if (innerWidth < 500) {
		for (const element of document.querySelectorAll('.md-header__button, .md-button, .md-footer__link')) {
			const box = element.getBoundingClientRect();
			if (isShown(element) && box.width > 0 && (box.width < 24 || box.height < 24)) faults.push(`too small for a finger: ${element.className} ${box.width} x ${box.height}`);
		}
	}
	if (document.documentElement.scrollWidth > innerWidth + 1) {
		const wide = [...document.querySelectorAll('.md-content *')].filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest('pre, .md-typeset__scrollwrap, .highlight'));
		faults.push(`${document.documentElement.scrollWidth} pixels wide: ${wide.slice(0, 2).map((element) => element.outerHTML.slice(0, 80))}`);
	}
	if (!document.documentElement.lang) faults.push('no language');
	if (!document.title) faults.push('no title');
	if (!document.querySelector('meta[name=viewport]')) faults.push('no viewport');
	const levels = [...document.querySelectorAll('.md-content h1, .md-content h2, .md-content h3, .md-content h4')].map((heading) => Number(heading.tagName[1]));
	levels.forEach((level, i) => { if (i > 0 && level > levels[i - 1] + 1) faults.push(`a heading of level ${level} after one of level ${levels[i - 1]}`); });
	return [...new Set(faults)];
}
