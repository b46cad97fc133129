/** Tests the dialog *Changes* of a run's contact, before and after an undo, in a browser. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import { join } from '../interfaces/api/people-world.ts';
import { expectSound, openRooms } from './rooms.ts';

const rooms = openRooms();

/** A script that counts the field names with a line that starts in the middle of a word. */
const BROKEN_NAMES = `[...document.querySelectorAll('[popover]:popover-open tbody th')].filter((cell) => {
  const text = cell.firstChild;
  const topOf = (at) => {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return range.getBoundingClientRect().top;
  };
  return [...text.data].some(
    (letter, at) => at > 0 && /\\w/.test(letter) && /\\w/.test(text.data[at - 1]) && topOf(at) !== topOf(at - 1),
  );
}).length`;

async function expectToFit(page: Page, height: number) {
  const dialog = page.getByRole('dialog', { name: /Values that this run wrote/ });
  await dialog.getByRole('table').waitFor();
  const box = await dialog.boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
  for (const part of [
    dialog.getByRole('heading', { level: 3 }),
    dialog.getByRole('button', { name: 'Close' }),
  ]) {
    const inner = await part.boundingBox();
    expect(inner?.y).toBeGreaterThanOrEqual(box?.y ?? 0);
    expect((inner?.y ?? 0) + (inner?.height ?? 0)).toBeLessThanOrEqual(height);
  }
  expect(await page.evaluate(BROKEN_NAMES)).toBe(0);
  const before = await page.evaluate('scrollY');
  await page.mouse.move(720, height / 2);
  await page.mouse.wheel(0, 5_000);
  await page.mouse.wheel(0, 5_000);
  await expect.poll(() => dialog.evaluate((one) => one.scrollTop)).toBeGreaterThan(0);
  expect(await page.evaluate('scrollY')).toBe(before);
  return dialog;
}

describe('the dialog of the changes', () => {
  it('fits into a low window with its title and its button, and scrolls instead of the page', async () => {
    const world = await rooms.openWorld({ integration: WITHOUT_TRIAL });
    await world.addPeople(8);
    const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await world.untilEnded(runId);
    const { cookie } = await join(world, 'Ada', 'admin');
    const view = await rooms.visit(world, `/runs/${runId}?outcome=written`, {
      cookie,
      width: 1440,
      height: 500,
    });
    const { page } = view;
    await page
      .getByRole('button', { name: /^Changes/ })
      .first()
      .click();
    await expectToFit(page, 500);
    await expectSound(view);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo run' }).click();
    await page.getByRole('button', { name: 'Undo run' }).click();
    await page.getByText('Restored by Ada').first().waitFor();
    await page
      .getByRole('button', { name: /^Changes/ })
      .first()
      .click();
    const after = await expectToFit(page, 500);
    expect(await after.innerText()).toContain('Ada restored the values from before the run');
    await expectSound(view);
    expect(view.complaints).toEqual([]);
  });
});
