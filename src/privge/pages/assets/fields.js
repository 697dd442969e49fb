// What you have: what is asked of this person, a field for each value of it, and the values as the client takes them.

import { element, said } from './draw.js';

const SHOWN = 60; // fields that are shown at once, and answers that are listed
const COMPUTED = ['model', 'score', 'direction']; // answered from a whole profile
const MOST = 10_000; // values of a campaign that a form is made for

/** Return what a feature or question is called. */
export function titleOf(campaign, index, texts) {
  const named = campaign.questions !== null || campaign.rawNames !== null;
  return named ? campaign.titleOf(index) : said(texts.have.feature, { index });
}

/** Refuse a form of more fields than anybody would fill in: a public document may state a thousand million of them. */
export function checkWidth({ rawWidth }) {
  if (rawWidth > MOST) throw Object.assign(new Error(), { code: 'too_many', count: rawWidth, most: MOST });
}

/** Return which raw columns matter for a node: those of the questions that it is asked. */
export function askedColumns(campaign, node, texts) {
  const indices = campaign.indicesOf(node);
  const all = campaign.columns();
  if (campaign.shortForm) return indices.map((place) => ({ ...all[place], place, name: titleOf(campaign, place, texts) }));
  const names = campaign.rawNames && new Set(indices.flatMap((index) => campaign.questions[index].rawNames));
  const placed = all.map((column, place) => ({ ...column, place }));
  return placed.filter(({ name }) => names === null || names.has(name));
}

/** Return about which classes a node is asked, where these are personal; otherwise null. */
export function personalOf({ assignment }, node, shard) {
  return assignment?.sizes.length ? assignment.personal(new TextEncoder().encode(node), shard) : null;
}

/** Return the law of what a person answers: of a personal question, the one for as many classes as theirs. */
export function lawOf({ campaign, personal }, index) {
  return campaign.questions?.[index].lawFor(personal) ?? campaign.shortForm.law;
}

/** Return what each level stands for, and each number that is sent; nothing where levels are numbers or directions. */
export function optionsOf({ campaign, personal }, index, texts) {
  const { kind, options } = campaign.questions?.[index] ?? { options: [] };
  if (kind === 'yes-no') return [texts.have.no, texts.have.yes];
  return personal ? personal.classes.map((place) => options[place]) : options;
}

/** Say between what the numbers of a person lie: questions differ, and not everybody is asked all of them. */
export function rangeText(person, texts) {
  const { one_range, range, ranges } = texts.sent;
  const mosts = person.campaign.indicesOf(person.node).map((index) => lawOf(person, index).outputs - 1);
  const alike = mosts.length === 1 ? one_range : range;
  return said(mosts.every((most) => most === mosts[0]) ? alike : ranges, { most: Math.max(...mosts) });
}

/** Say how much is asked of a person, or what their device works out. */
export function askedText(person, texts) {
  const { campaign, node } = person;
  const { only, all, one, some, model, model_options } = texts.have;
  const computed = campaign.indicesOf(node).find((index) => COMPUTED.includes(campaign.questions?.[index].kind));
  if (computed !== undefined) {
    const options = optionsOf(person, computed, texts);
    return options.length && options.length <= SHOWN ? said(model_options, { options: options.join(', ') }) : said(model, campaign.questions[computed]);
  }
  const [whole, part] = campaign.k === 1 ? [only, one] : [all, some];
  return said(campaign.k === campaign.dimensions ? whole : part, { k: campaign.k, all: campaign.dimensions });
}

/** Fill the form. `changed` is called whenever somebody edits a value. */
export function showFields(form, columns, texts, changed) {
  const grid = element('div', { class: 'fields' });
  columns.forEach((column, at) => grid.append(field(column, at, texts, at >= SHOWN)));
  form.replaceChildren(grid);
  if (columns.length > SHOWN) {
    const more = element('button', { type: 'button' }, said(texts.have.more, { count: columns.length }));
    more.addEventListener('click', () => {
      for (const each of grid.children) each.hidden = false;
      more.remove();
    });
    form.append(element('p', {}, more));
  }
  form.addEventListener('input', changed);
  form.addEventListener('submit', (event) => event.preventDefault());
}

function field(column, at, texts, hidden) {
  const id = `value-${at}`;
  const hint = element('small', { id: `${id}-hint` }, hintOf(column, texts));
  const input = column.kind === 'number' ? numberInput(column) : choiceInput(column, texts);
  input.id = id;
  input.dataset.place = String(column.place);
  input.setAttribute('aria-describedby', hint.id);
  input.addEventListener('input', () => {
    const value = input.value === '' ? NaN : Number(input.value);
    const outside = column.kind === 'number' && (value < column.low || value > column.high);
    hint.textContent = outside ? said(texts.have.outside, column) : hintOf(column, texts);
  });
  const box = element('div', {}, element('label', { for: id }, column.name), input, hint);
  box.hidden = hidden;
  return box;
}

function hintOf(column, texts) {
  const missing = column.kind === 'choice' ? column.missing : texts.have[column.missing];
  const counted = said(texts.have.blank_counts, { missing });
  return column.kind === 'number' && Number.isFinite(column.low) ? `${said(texts.have.from_to, column)}. ${counted}` : counted;
}

function numberInput(column) {
  const input = element('input', { type: 'number', step: 'any', inputmode: 'decimal', autocomplete: 'off' });
  if (Number.isFinite(column.low)) Object.assign(input, { min: String(column.low), max: String(column.high) });
  return input;
}

function choiceInput(column, texts) {
  const select = element('select', {}, element('option', { value: '' }, texts.have.blank));
  const yesNo = [['yes', texts.have.yes], ['no', texts.have.no]];
  const options = column.kind === 'yes-no' ? yesNo : column.values.map((value) => [`=${value}`, value]);
  for (const [value, name] of options) select.append(element('option', { value }, name));
  return select;
}

/** Return the values as the client takes them: by name, or a list in order; what is empty is absent. */
export function valuesOf(form, columns, campaign) {
  const named = Object.create(null); // so that no name means anything else
  const list = campaign.rawNames === null ? new Array(campaign.rawWidth) : null;
  columns.forEach((column, at) => {
    const text = form.querySelector(`#value-${at}`).value;
    if (text === '') return;
    const value = column.kind === 'number' ? Number(text) : column.kind === 'choice' ? text.slice(1) : text;
    if (list) list[column.place] = value;
    else named[column.name] = value;
  });
  return list ?? named;
}
