/** The modules as they are published: build first. */
import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect, it } from 'vitest';

import type * as client from '../src/index.ts';

type Named = { name: string; document: string };

function documentOf(file: string): string {
  const text = readFileSync(new URL(`../../../spec/vectors/${file}.json`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { vectors: Named[] }).vectors[0]!.document;
}

/** Import the client from a folder that holds some of its files. */
async function from(...files: string[]): Promise<typeof client> {
  const folder = mkdtempSync(join(tmpdir(), 'privge-'));
  for (const file of files) copyFileSync(new URL(`../dist/${file}`, import.meta.url), join(folder, file));
  return (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'privge.js')).href)) as typeof client;
}

it('a campaign that needs taught.js is refused where it cannot be had, and others are read without it', async () => {
  const { Campaign, PrivgeError } = await from('privge.js');
  const refused = await Campaign.read(documentOf('taught')).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(PrivgeError);
  expect(refused).toMatchObject({ code: 'unavailable' });
  expect(String(refused)).toContain('needs taught.js');
  expect((await Campaign.read(documentOf('short'))).shortForm).not.toBeNull();
});

it('a question that taught.js refuses is refused by the client', async () => {
  const { Campaign, PrivgeError } = await from('privge.js', 'taught.js');
  const document = documentOf('taught');
  expect((await Campaign.read(document)).questions).not.toBeNull();
  const refused = await Campaign.read(document.replace('"features":[', '"features":[7,')).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(PrivgeError);
  expect(refused).toMatchObject({ code: 'campaign' });
  expect(String(refused)).toContain("'questions[0].features[0]");
});
