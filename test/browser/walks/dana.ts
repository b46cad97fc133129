/** Simulates Dana, who pays for the product and opens it once a month. README.md describes her goals. */
import { expect } from 'vitest';
import { CLIENT } from './robin.ts';
import { expectCalm, goToArea, type Visitor } from './visitor.ts';

/** Reads the results on one screen and does not scroll. A desktop screen is 1440×900. */
export async function readResults(dana: Visitor): Promise<void> {
  const { page, hands, ways } = dana;
  await goToArea(dana, 'Results');
  await page.getByRole('heading', { level: 1, name: /^Results in / }).waitFor();
  await hands.press(page.getByRole('main').getByRole('link', { name: CLIENT }));
  const part = page.getByRole('region', { name: 'What it brought, and what it cost' });
  await part.waitFor();
  const figures = [
    ...['Matched', 'Net worth $1M+', 'New introductions', 'Decisions made', 'Credits', 'Cost'],
  ];
  for (const name of figures) await part.getByText(name, { exact: true }).waitFor();
  expect(await part.innerText()).toMatch(/of \d+ sent/);
  expect(await part.innerText()).toMatch(/\$\d+\.\d\d/);
  await part.getByRole('table', { name: /^Giving capacity found/ }).waitFor();
  await expectCalm(dana);
  if (ways.width < 1_440) return;
  const box = await part.boundingBox();
  expect(await page.evaluate('scrollY')).toBe(0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
}

/** Checks that the page follows the chosen month and client, and that the printed page has no navigation. */
export async function chooseAndPrint(dana: Visitor): Promise<void> {
  const { page, hands } = dana;
  const title = await page.getByRole('heading', { level: 1 }).innerText();
  const month = title.replace('Results in ', '');
  await hands.choose(page.getByLabel('Month'), month);
  await hands.press(page.getByRole('button', { name: 'Show' }));
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.getByRole('region', { name: 'What it brought, and what it cost' }).waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('navigation', { name: 'Areas' }).isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Show' }).isVisible()).toBe(false);
  await page.emulateMedia({ media: null });
}

/** Checks that the month's credits are the same in Results, in Credits, and in the runs. */
export async function compareCredits(dana: Visitor): Promise<void> {
  const { page, hands } = dana;
  const figures = await page.locator('.figures').innerText();
  const all = toNumber(/Credits\s+([\d,]+)/.exec(figures)?.[1]);
  const networks = toNumber(/([\d,]+) for networks/.exec(figures)?.[1]);
  expect(all).toBeGreaterThan(0);
  await goToArea(dana, 'Credits');
  const text = await page.getByRole('region', { name: 'Spent by day' }).innerText();
  const [, burnt, burntNetworks] =
    /([\d,]+) credits? for enhancements and ([\d,]+) for networks/.exec(text) ?? [];
  expect(toNumber(burnt) + toNumber(burntNetworks)).toBe(all);
  expect(toNumber(burntNetworks)).toBe(networks);
  await expectCalm(dana);
  await goToArea(dana, 'Runs');
  const rows = page.getByRole('main').getByRole('table').getByRole('row');
  const hrefs = await rows
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  const runs = [...new Set(hrefs.filter((href) => href.startsWith('/runs/')))];
  let spent = 0;
  for (const href of runs) {
    await page.goto(new URL(href, page.url()).href);
    for (const bucket of ['enhancements', 'networks']) {
      spent += toNumber(
        await page.locator(`[data-of="credits.${bucket}.spent"]`).first().innerText(),
      );
    }
  }
  expect(spent).toBe(all);
  await goToArea(dana, 'Clients');
  await hands.press(page.getByRole('main').getByRole('link', { name: CLIENT }).first());
}

function toNumber(text: string | undefined): number {
  return Number((text ?? '0').replaceAll(',', ''));
}
