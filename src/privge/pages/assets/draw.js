// Elements and small pictures. Text is only ever set as text, so that no name of a campaign becomes anything else.

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 560;

/** Make an element. */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function shape(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Fill in what stands in braces. */
export function said(text, values) {
  return text.replace(/{(\w+)}/g, (whole, name) => (Object.hasOwn(values, name) ? String(values[name]) : whole));
}

/** Bytes in hexadecimal, two by two. */
export function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

/** The two bytes of each code, as they are sent. */
export function bytesOf(codes) {
  return Uint8Array.from(codes.flatMap((code) => [code & 255, code >> 8]));
}

const percent = (share) => `${(100 * share).toFixed(share >= 0.01 && share <= 0.99 ? 0 : 1)} %`;

/** A bar for a 50:50 guess before, and one for the surest that it can become; and a table of other guesses. */
export function oddsPicture(odds, sure, texts) {
  const even = odds.find(({ before }) => before === 0.5);
  const bars = [[texts.before, even.before, '50 %'], [texts.after, even.most, sure]];
  const label = bars.map(([name, , text]) => `${name}: ${text}`).join(', ');
  const picture = shape('svg', { viewBox: `0 0 ${WIDTH} 136`, role: 'img', 'aria-label': label });
  bars.forEach(([name, share, text], place) => {
    const top = place * 68;
    const width = Math.round(share * WIDTH);
    picture.append(
      shape('text', { class: 'odds-text', x: 0, y: top + 18 }, name),
      shape('rect', { class: 'rest', x: 0, y: top + 26, width: WIDTH, height: 32, rx: 4 }),
      shape('rect', { class: 'odds-bar', x: 0, y: top + 26, width, height: 32, rx: 4 }),
      shape('text', { class: 'on', x: width - 10, y: top + 48 }, text),
    );
  });
  const head = [texts.guess, texts.least, texts.after].map((name) => element('th', { scope: 'col', class: 'number' }, name));
  const rows = odds.map(({ before, least, most }) =>
    element('tr', {}, ...[before, least, most].map((share) => element('td', { class: 'number' }, percent(share)))),
  );
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows));
  return [element('figure', {}, picture), table];
}

/** Probabilities of codes for two levels of a law, in at most 24 groups of neighbours. */
export function groups(law, one, other) {
  const total = 2 ** 53;
  const [mine, others] = [law.weights(one), law.weights(other)];
  const count = Math.min(24, mine.length);
  const pairs = Array.from({ length: count }, () => [0, 0]);
  let [speaksMine, speaksOthers] = [0, 0];
  mine.forEach((weight, code) => {
    const pair = pairs[Math.floor((code * count) / mine.length)];
    pair[0] += weight / total;
    pair[1] += others[code] / total;
    if (others[code] > weight) {
      speaksMine += weight / total;
      speaksOthers += others[code] / total;
    }
  });
  return { pairs, speaksMine, speaksOthers };
}

/** Pairs of columns: how likely each group of codes is with one value and with the other. */
export function lookPicture(pairs, label) {
  const most = Math.max(...pairs.flat());
  const slot = WIDTH / pairs.length;
  const picture = shape('svg', { viewBox: `0 0 ${WIDTH} 150`, role: 'img', 'aria-label': label });
  pairs.forEach((pair, place) => {
    pair.forEach((share, side) => {
      const height = (140 * share) / most;
      const x = (place * slot + side * slot * 0.44 + slot * 0.06).toFixed(1);
      const kind = side ? 'two-fill' : 'one';
      picture.append(shape('rect', { class: kind, x, y: (144 - height).toFixed(1), width: (slot * 0.42).toFixed(1), height: height.toFixed(1) }));
    });
  });
  picture.append(shape('line', { class: 'axis', x1: 0, y1: 145, x2: WIDTH, y2: 145 }));
  return element('figure', {}, picture);
}

/** Codes as a list: what each is about, the number, and perhaps a note. */
export function codeList(titles, codes, notes) {
  return element(
    'ul',
    { class: 'codes' },
    ...codes.map((code, place) => element('li', { class: 'drawn' }, titles[place] ?? '', element('b', {}, String(code)), ...(notes[place] ? [element('small', {}, notes[place])] : []))),
  );
}

/** A bar that shows a part of a whole. */
export function bar(share) {
  const attributes = { class: 'bar', viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' };
  return shape(
    'svg',
    attributes,
    shape('rect', { class: 'rest', width: 100, height: 10 }),
    shape('rect', { class: 'one', width: Math.min(100, 100 * share).toFixed(1), height: 10 }),
  );
}
