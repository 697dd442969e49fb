// The contribution page. Everything private is done by the client, privge.js; this file shows it.
//
// A report is drawn by one call of `contribute` and sent at once: nobody looks at the draw and then decides, because whether
// somebody sends would then say something about it. The sandbox uses `perturb`, which keeps and sends nothing.

import { answersOf, certainty, contribute, erase, explain, fetchCampaign, fetchShard, ledger, nodeOf, perturb, stored } from './privge.js';
import { bar, bytesOf, codeList, element, groups, hex, lookPicture, oddsPicture, said } from './draw.js';
import { tokenIn } from './door.js';
import { askedColumns, askedText, checkWidth, lawOf, optionsOf, personalOf, rangeText, showFields, titleOf, valuesOf } from './fields.js';
import { troubleOf, Wire } from './wire.js';

const texts = JSON.parse(document.body.dataset.texts);
const id = document.body.dataset.campaign;
const address = `${location.origin}/v1/campaigns/${id}`;
const at = (name) => document.getElementById(name);
const wire = new Wire(at('requests'), texts);
const patience = { deadline: 45_000, timeout: 15_000 };
const contact = { fetch: wire.fetch, patience };
const SLOW = 4_000;
const TOKEN = 'privge-token';

let token = '';
let person = null; // the campaign, the node, its shard, what it is asked and its fields
let busy = false;
let over = false; // nothing more is drawn or sent from here

/** Say what went wrong, beside what was pressed. */
function fail(error, where = at('trouble')) {
  const text = said(troubleOf(error, wire.reason, person?.campaign, texts), { ...error, opens: (person?.campaign.opens ?? '').slice(0, 10) });
  const words = error?.message ? said(texts.trouble.details, { words: error.message }) : '';
  const notice = element('div', { class: 'notice bad' }, element('p', {}, element('b', {}, texts.trouble.title)), element('p', {}, text));
  if (words) notice.append(element('p', { class: 'hint' }, words));
  where.replaceChildren(notice);
}

function calm() {
  for (const each of document.querySelectorAll('.trouble')) each.replaceChildren();
}

/** Do something that takes a while: one thing at a time, with what happened said at the end. */
async function doing(button, work) {
  if (busy) return;
  busy = true;
  button.disabled = true;
  calm();
  try {
    await work();
  } catch (error) {
    fail(error, button.closest('section').querySelector('.trouble'));
  } finally {
    busy = false;
    button.disabled = over && button === at('contribute');
  }
}

// Who.

function tokenFromAddress() {
  const given = tokenIn(location.hash);
  if (given) history.replaceState(null, '', location.pathname); // a link that is looked at or shared holds no token
  try {
    if (given) sessionStorage.setItem(TOKEN, given);
    return given || (sessionStorage.getItem(TOKEN) ?? '');
  } catch {
    return given; // without storage it lasts as long as the page
  }
}

function askForToken() {
  at('door').hidden = false;
  at('door-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const text = at('token').value.trim();
    token = text.slice(text.indexOf('#') + 1).replace(/^token=/, '');
    at('token').value = '';
    void begin();
  });
}

// What you have.

function counted(campaign) {
  return campaign.k === 1 ? texts.sent.one_number : said(texts.sent.numbers, { k: campaign.k });
}

function showCampaign(campaign) {
  const { sure, odds, epsilon } = explain(campaign);
  at('purpose').textContent = campaign.purpose || texts.frame.no_purpose;
  document.title = campaign.purpose ? `${campaign.purpose} · ${texts.frame.title}` : texts.frame.title;
  at('status').textContent = said(texts.frame.checked, { id: `${id.slice(0, 12)}…` });
  at('inferred-sentence').textContent = said(texts.inferred.sentence, { sure });
  at('inferred-epsilon').textContent = said(texts.inferred.epsilon, { epsilon });
  at('odds').replaceChildren(...oddsPicture(odds, sure, texts.inferred));
  at('act-consent').textContent = said(texts.act.consent, { count: counted(campaign) });
  at('act-costs').textContent = said(texts.act.costs, { epsilon });
}

function showPerson({ campaign, node, columns }) {
  const days = campaign.retentionDays;
  at('facts').textContent = [
    said(texts.frame.as_node, { node }),
    campaign.closes ? said(texts.frame.closes, { closes: campaign.closes.slice(0, 10) }) : '',
    days === null ? texts.frame.kept : said(texts.frame.deleted, { days }),
  ].join(' ');
  at('have-asked').textContent = askedText(person, texts);
  at('sent-lead').textContent = said(texts.sent.lead, { count: counted(campaign), range: rangeText(person, texts) });
  showFields(at('values'), columns, texts, () => showLook());
}

// What can be inferred.

const compared = new Map(); // the other value that somebody chose, by question

function showLook() {
  const { campaign, node, shard, columns } = person;
  const place = Number(at('look-question')?.value ?? 0);
  const answer = answersOf(campaign, valuesOf(at('values'), columns, campaign), { node, shard })[place];
  const law = lawOf(person, answer.index);
  const focused = document.activeElement?.id;
  const about = element('p', { class: 'pair' });
  if (campaign.k > 1) about.append(questionInput(place), element('br'));
  if (answer.level === null) {
    at('look').replaceChildren(about, element('p', {}, texts.inferred.direction));
    if (focused?.startsWith('look-')) at(focused)?.focus();
    return;
  }
  const options = optionsOf(person, answer.index, texts);
  const yours = options.length ? said(texts.inferred.yours_named, { value: options[answer.level] }) : texts.inferred.yours;
  const farthest = answer.level < law.levels / 2 ? law.levels - 1 : 0;
  const other = compared.get(answer.index) ?? farthest;
  const { pairs, speaksMine, speaksOthers } = groups(law, answer.level, other);
  const chance = { yours: Math.round(100 * speaksMine), others: Math.round(100 * speaksOthers) };
  const chosen = otherInput(campaign, answer.index, law, options, other);
  about.append(element('span', { class: 'key' }), element('span', { class: 'gap' }, yours), element('span', { class: 'key other' }), element('label', { for: 'look-other', class: 'inline' }, texts.inferred.other), ' ', chosen);
  const label = said(texts.inferred.alike, chance);
  at('look').replaceChildren(about, lookPicture(pairs, label), element('p', {}, label));
  if (focused?.startsWith('look-')) at(focused)?.focus();
}

function questionInput(place) {
  const { campaign, node } = person;
  const select = element('select', { id: 'look-question', 'aria-label': texts.inferred.question });
  campaign.indicesOf(node).forEach((index, each) => select.append(element('option', { value: each }, titleOf(campaign, index, texts))));
  select.value = String(place);
  select.addEventListener('change', showLook);
  return select;
}

function otherInput(campaign, index, law, options, level) {
  const select = element('select', { id: 'look-other' });
  const count = options.length || Math.min(11, law.levels);
  for (let step = 0; step < count; step++) {
    const value = options.length ? step : Math.round((step * (law.levels - 1)) / (count - 1));
    select.append(element('option', { value }, options[step] ?? levelName(campaign, index, value / (law.levels - 1))));
  }
  select.value = String(level);
  select.addEventListener('change', () => {
    compared.set(index, Number(select.value));
    showLook();
  });
  return select;
}

function levelName(campaign, index, share) {
  const question = campaign.questions?.[index];
  const column = question ? question.kind === 'number' && person.columns.find(({ name }) => name === question.rawNames[0]) : campaign.columns()[index];
  return column && Number.isFinite(column.low) ? String(Number((column.low + share * (column.high - column.low)).toPrecision(6))) : `${Math.round(100 * share)} %`;
}

// The sandbox.

let examples = 0;

function tryIt() {
  const { campaign, node, shard, columns } = person;
  const { codes, body } = perturb(campaign, valuesOf(at('values'), columns, campaign), { node, shard });
  const note = said(texts.sent.drawn, { count: ++examples, bytes: hex(body) });
  at('example').replaceChildren(shown([...codes]), element('p', { class: 'bytes' }, note));
  at('try').textContent = texts.sent.again;
}

/** Show codes, each with what it is about and, if it stands for an answer, for which. */
function shown(codes) {
  const { campaign, node } = person;
  const indices = campaign.indicesOf(node);
  const notes = indices.map((index, place) => {
    const meaning = optionsOf(person, index, texts)[codes[place]];
    return meaning === undefined ? '' : said(texts.sent.means, { meaning });
  });
  return codeList(indices.map((index) => titleOf(campaign, index, texts)), codes, notes);
}

// Contribute.

async function send() {
  at('progress').replaceChildren();
  const { campaign, columns } = person;
  const values = valuesOf(at('values'), columns, campaign);
  at('progress').replaceChildren(element('p', {}, texts.act.working));
  const slow = setTimeout(() => at('progress').replaceChildren(element('p', { class: 'notice' }, texts.act.trying)), SLOW);
  let body = null;
  wire.onReport = (bytes) => {
    body = bytes;
    const codes = Array.from({ length: bytes.length / 2 }, (_, place) => bytes[2 * place] + 256 * bytes[2 * place + 1]);
    at('receipt').replaceChildren(element('h3', {}, texts.sent.real), shown(codes));
  };
  try {
    const done = await contribute(values, { campaign: address, token, ...contact });
    at('progress').replaceChildren(element('p', { class: 'notice good' }, done.new ? texts.act.done : texts.act.done_before));
    const note = done.drawn ? said(texts.act.noted, done) : texts.act.drawn_elsewhere;
    at('progress').append(element('p', { id: 'noted' }, note));
    showReceipt(done, body);
  } catch (error) {
    at('progress').replaceChildren();
    throw error;
  } finally {
    clearTimeout(slow);
    wire.onReport = () => {};
    await showSpent();
  }
}

function showReceipt({ codes, report, epsilon }, body) {
  const facts = [
    [texts.act.receipt_bytes, hex(body ?? bytesOf([...codes]))],
    [texts.act.receipt_name, report],
    [texts.act.receipt_campaign, id],
    [texts.act.receipt_epsilon, String(epsilon)],
  ];
  const list = element('dl', {}, ...facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', { class: 'bytes' }, value)]));
  const box = element('div', { class: 'receipt', id: 'receipt-box' }, element('h3', {}, texts.act.receipt), shown([...codes]), list);
  at('receipt').replaceChildren(box);
  at('contribute').textContent = texts.act.resend;
}

// What is stored, and what was spent.

async function showStored() {
  const holdings = await stored({ service: location.origin, token, ...contact });
  if (!holdings.length) {
    at('holdings').replaceChildren(element('p', {}, texts.stored.nothing));
    return;
  }
  const head = ['campaign', 'day', 'codes', 'epsilon'].map((name) => element('th', { scope: 'col' }, texts.stored[name]));
  const rows = holdings.map(({ campaign, day, codes, epsilon }) => {
    const name = campaign === id ? texts.stored.this_one : `${campaign.slice(0, 12)}…`;
    const cells = [name, day, codes === null ? texts.stored.gone : codes.join(', '), String(epsilon)];
    return element('tr', {}, ...cells.map((cell) => element('td', {}, cell)));
  });
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows));
  const total = holdings.reduce((sum, { epsilon }) => sum + epsilon, 0);
  const note = said(texts.spent.service, { spent: Number(total.toPrecision(6)) });
  at('holdings').replaceChildren(element('div', { class: 'scroll' }, table), element('p', {}, note));
  if (holdings.some(({ codes }) => codes !== null)) at('holdings').append(eraseBox());
}

function eraseBox() {
  const first = element('button', { type: 'button', class: 'danger', id: 'erase' }, texts.stored.erase);
  const box = element('div', {}, element('p', {}, first));
  first.addEventListener('click', () => {
    const sure = element('button', { type: 'button', class: 'danger', id: 'erase-sure' }, texts.stored.erase_sure);
    const not = element('button', { type: 'button' }, texts.stored.erase_not);
    not.addEventListener('click', () => box.replaceChildren(element('p', {}, first)));
    sure.addEventListener('click', () => void doing(sure, eraseNow));
    box.replaceChildren(element('p', {}, texts.stored.erase_text), element('p', {}, sure, ' ', not));
    sure.focus();
  });
  return box;
}

async function eraseNow() {
  const erased = await erase({ service: location.origin, token, ...contact });
  const text = erased.length ? texts.stored.erased : texts.stored.erased_nothing;
  await showStored();
  at('holdings').prepend(element('p', { class: 'notice good', id: 'erased' }, text));
  at('receipt').replaceChildren();
  await showSpent();
}

async function showSpent() {
  const { spent, caps, reports } = await ledger();
  const first = reports.find(({ campaign }) => campaign === id);
  const own = first?.node === person.node ? first : undefined; // a phone may be shared: what is another's is not shown
  over = first !== undefined && !own?.codes;
  if (over) {
    at('contribute').disabled = at('contribute').hidden = true;
    at('progress').replaceChildren(element('p', { class: 'notice' }, own ? texts.act.erased_here : texts.act.somebody_else));
  } else if (own) at('contribute').textContent = texts.act.resend;
  const sentence = said(texts.spent.sentence, { spent, cap: caps.lifetime, sure: certainty(spent) });
  const rows = reports.map(({ campaign, epsilon }) => element('li', {}, element('code', {}, campaign.slice(0, 12)), ` ε = ${epsilon}`));
  const summary = spent ? [element('p', {}, sentence), bar(spent / caps.lifetime), element('ul', {}, ...rows)] : [element('p', {}, texts.spent.none)];
  at('spent').replaceChildren(...summary);
  return own;
}

// Begin.

async function begin() {
  calm();
  let node;
  try {
    node = nodeOf(token, id);
    at('door').hidden = true;
    const campaign = await fetchCampaign(address, contact);
    showCampaign(campaign);
    checkWidth(campaign);
    const shard = await fetchShard(campaign, address, node, contact);
    person = { campaign, node, shard, personal: personalOf(campaign, node, shard), columns: askedColumns(campaign, node, texts) };
    showPerson(person);
    at('steps').hidden = false;
    showLook();
    const own = await showSpent();
    if (own?.codes) showReceipt({ ...own, codes: own.codes }, null);
  } catch (error) {
    fail(error);
    if (error?.code === 'storage') at('contribute').disabled = true;
    if (!person) at('status').textContent = '';
    if (error?.code === 'token') at('door').hidden = false;
  }
}

at('try').addEventListener('click', tryIt);
at('contribute').addEventListener('click', () => void doing(at('contribute'), send));
at('show').addEventListener('click', () => void doing(at('show'), showStored));
token = tokenFromAddress();
askForToken();
at('door').hidden = token !== '';
if (token) void begin();
else void fetchCampaign(address, contact).then(showCampaign, (error) => fail(error));
addEventListener('hashchange', () => {
  if (tokenIn(location.hash)) location.reload(); // somebody pastes their link where the page is open already
});
