// The operator's room in a real browser: a campaign from the form to its end, and what another site can do to it.
import { createServer } from 'node:http';

import { opened } from './browser.mjs';
import { enter } from './pages.mjs';

/** Write a campaign, look at its forecast, publish it, close it, leave. */
export async function life(given) {
  const { context, page, problems, requests } = await opened();
  await enter(page, given);
  await page.click('text=New campaign');
  await page.fill('#purpose', given.purpose);
  await page.fill('#names', 'sport\nmusic\nbooks');
  await page.fill('#closes', '2999-01-31');
  await page.fill('#retention_days', '7');
  await page.click('button.main');
  const forecast = await page.locator('section[aria-labelledby=forecast]').textContent();
  await page.click('text=Publish for good');
  await page.locator('.life').waitFor();
  const campaign = page.url().split('/').at(-1);
  const published = await page.locator('.life [aria-current]').textContent();
  await page.fill('#confirm', campaign.slice(0, 8));
  await page.click('text=Close for good');
  await page.locator('.life [aria-current=step]:has-text("closed")').waitFor();
  await page.click('text=Trail');
  const trail = await page.locator('tbody').textContent();
  await page.click('text=Leave');
  await page.locator('#token').waitFor();
  const cookies = await context.cookies();
  await context.close();
  return { campaign, forecast, published, trail, cookies, problems, scripts: requests.filter(({ path }) => path.endsWith('.js')).length };
}

/** Somebody who is inside visits a page elsewhere that sends every form of the room, even with a token that is good. */
export async function attacked(given) {
  const { context, page } = await opened();
  await enter(page, given);
  await page.goto(`${given.url}/operator/campaigns/${given.campaign}`);
  const token = await page.locator('form[action$="/close"] input[name=form]').getAttribute('value');
  const answers = [];
  const fields = { form: token, confirm: given.campaign.slice(0, 8), canonical: '{}', token: given.admin };
  const hidden = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`).join('');
  const targets = [`campaigns/${given.campaign}/close`, 'publish', 'retire', 'leave', 'draft', 'enter'];
  const server = createServer((request, response) => {
    const target = targets[Number(new URL(request.url, 'http://x').searchParams.get('at'))] ?? targets[0];
    response.setHeader('content-type', 'text/html');
    response.end(`<form method="post" action="${given.url}/operator/${target}">${hidden}</form><script>document.forms[0].submit()</script>`);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  for (const host of ['127.0.0.1', 'localhost']) {
    for (const place of targets.keys()) {
      const answer = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.goto(`http://${host}:${server.address().port}/?at=${place}`);
      answers.push({ host, target: targets[place], status: (await answer).status() });
      await page.waitForLoadState();
    }
  }
  const framed = await framing(context, server.address().port, given.url);
  server.close();
  await page.goto(`${given.url}/operator`);
  const stillInside = await page.locator('.tiles').isVisible();
  await context.close();
  return { answers, framed, stillInside };
}

/** Whether a page elsewhere can show the room in a frame. */
async function framing(context, port, url) {
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${port}/`).catch(() => undefined);
  await page.setContent(`<iframe src="${url}/operator"></iframe>`);
  await page.waitForTimeout(500);
  const inner = await page.frames().at(-1).content().catch(() => '');
  await page.close();
  return inner.includes('operator’s room');
}
