import { expect, it } from 'vitest';

type Door = { tokenIn(hash: string): string };
const door = new URL('../../../src/privge/pages/assets/door.js', import.meta.url).href;
const { tokenIn } = (await import(/* @vite-ignore */ door)) as Door;

it('a link holds a token, and the name of a place of the page is none', () => {
  expect(['#eyJ.c2ln', '#token=eyJ=.c2ln', '#token=cut'].map(tokenIn)).toEqual(['eyJ.c2ln', 'eyJ=.c2ln', 'cut']);
  expect(['', '#', '#main', '#values'].map(tokenIn)).toEqual(['', '', '', '']);
});
