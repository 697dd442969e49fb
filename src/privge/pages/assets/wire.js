// Everything that leaves the page goes through here, and is shown as it leaves.

import { element, hex, said } from './draw.js';

/** Requests of the page: a `fetch` for the client, the list that shows them, and why the service refused the last one. */
export class Wire {
  constructor(list, texts) {
    this.list = list;
    this.texts = texts;
    this.count = 0;
    this.reason = '';
    this.onReport = () => {};
    this.fetch = (address, options = {}) => this.send(address, options);
  }

  async send(address, options) {
    const { method = 'GET', headers = {}, body } = options;
    this.note(method, new URL(address).pathname, 'Authorization' in headers, body);
    if (method === 'PUT' && body) this.onReport(body);
    this.reason = '';
    const answer = await fetch(address, options);
    if (answer.status >= 400) this.reason = await reasonOf(answer.clone());
    return answer;
  }

  note(method, path, withToken, body) {
    if (this.count++ === 0) this.list.replaceChildren();
    const { about_nobody, with_token, body: bodyText } = this.texts.left;
    const line = element('li', {}, element('code', {}, `${method} ${path}`), `, ${withToken ? with_token : about_nobody}`);
    if (body) line.append(', ', element('span', { class: 'bytes' }, said(bodyText, { count: body.length, bytes: hex(body) })));
    this.list.append(line);
  }
}

async function reasonOf(answer) {
  try {
    const { type } = await answer.json();
    return String(type).replace(/^urn:privge:/, '');
  } catch {
    return '';
  }
}

/** Say what happened and what to do: by the service's reason, or by the client's. */
export function troubleOf(error, reason, campaign, { trouble }) {
  const code = error?.code ?? 'other';
  const known = Object.hasOwn(trouble, reason) ? reason : '';
  if (code === 'unavailable') {
    if (!campaign && known !== 'rate') return trouble.not_loaded; // there is no button to press yet
    if (!navigator.onLine) return trouble.offline;
    return ['rate', 'not_open_yet'].includes(known) ? trouble[known] : trouble.unavailable;
  }
  if (code === 'refused' && known) return trouble[known];
  if (code === 'refused' && error.status === 410) { // the device itself saw that it is too early or too late
    return new Date(campaign?.opens ?? 0) > new Date() ? trouble.not_open_yet : trouble.closed;
  }
  if (['mismatch', 'privacy', 'campaign'].includes(code)) return trouble.campaign;
  return Object.hasOwn(trouble, code) ? trouble[code] : trouble.other;
}
