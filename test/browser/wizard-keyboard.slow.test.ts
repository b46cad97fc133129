/** Uses only the keyboard, from an empty folder to an explored network. Checks that the focus is always visible. */
import type { Locator, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createOwner, openView } from './browser.ts';
import { openBuiltSetups } from './built-setups.ts';

const TIMEOUT_MS = 300_000;

/** The maximum number of key presses. Every page has fewer focusable elements than this number. */
const MOST_STEPS = 200;

const setups = openBuiltSetups(TIMEOUT_MS);

const focusSchema = z.object({ text: z.string(), isMarked: z.boolean(), isInView: z.boolean() });

/** A script that returns the focused element, and whether the focus is visible. */
const FOCUS = `(() => {
  const element = document.activeElement;
  // What a label stands for may be shown by it.
  const shown = [element, element.closest('label'), element.parentElement].filter(Boolean);
  const { top, bottom } = element.getBoundingClientRect();
  return {
    text: [element.outerHTML.slice(0, 120), 'at', top, 'of', innerHeight].join(' '),
    isMarked: shown.some((one) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1;
    }),
    isInView: bottom > 0 && top < innerHeight,
  };
})()`;

async function look(page: Page) {
  return focusSchema.parse(await page.evaluate(FOCUS));
}

/** Presses Tab until the element has the focus, and checks each focused element. */
async function goTo(page: Page, place: Locator): Promise<void> {
  // After a form is sent, the browser may still have to load the next page.
  await page.locator('html:not([data-sending])').waitFor({ state: 'attached' });
  await place.waitFor();
  for (let step = 0; step < MOST_STEPS; step += 1) {
    await page.keyboard.press('Tab');
    if (!(await page.evaluate('document.activeElement !== document.body'))) continue;
    const { text } = await look(page);
    // If an element is out of view, the browser scrolls to it in the next frame.
    await expect
      .poll(() => look(page), { message: text, interval: 20 })
      .toMatchObject({ isMarked: true, isInView: true });
    const isThere = await place.evaluate(
      (element) => element === element.ownerDocument.activeElement,
    );
    if (isThere) return;
  }
  throw new Error(`no Tab leads to ${place}`);
}

async function press(page: Page, place: Locator): Promise<void> {
  await goTo(page, place);
  await page.keyboard.press('Enter');
  await page.waitForLoadState();
}

async function type(page: Page, place: Locator, text: string): Promise<void> {
  await goTo(page, place);
  await page.keyboard.type(text);
}

it(
  'leads through the set-up, a decision and the networks by Tab, Enter, Space and arrows alone',
  async () => {
    const world = await setups.open(['csv'], { contacts: 80, donors: 80 });
    const { page, complaints, close } = await openView(setups.browser(), world.url);
    onTestFinished(close);
    const button = (name: string | RegExp) => page.getByRole('button', { name });
    const link = (name: string | RegExp) => page.getByRole('link', { name });

    // The listener is added before the page opens a file dialog. The browser then calls the test and shows no dialog.
    const chosen = Promise.withResolvers<void>();
    const file = await world.writeContacts('donors.csv', true);
    page.on('filechooser', (chooser) => chooser.setFiles(file).then(chosen.resolve, chosen.reject));
    await createOwner(page, world.signInUrl);
    await type(page, page.getByLabel('Name of the nonprofit'), 'Riverside Food Bank');
    await page.keyboard.press('Enter');
    await goTo(page, page.getByLabel('Choose a file'));
    await page.keyboard.press('Space');
    await chosen.promise;
    await page.getByRole('region', { name: 'The first rows of the file' }).waitFor();
    await press(page, button('Use this file'));
    await press(page, link('Service key'));
    await type(page, page.getByLabel('Key', { exact: true }), world.service.apiKey);
    await page.keyboard.press('Enter');
    await page.getByText('The service knows this key').waitFor();
    await press(page, link('Continue'));
    await press(page, button('Save and continue'));
    await press(page, button('Save and continue'));
    await goTo(page, page.getByRole('checkbox', { name: /Board/ }));
    await page.keyboard.press('Space');
    await press(page, button('Continue'));
    // The page has already filled in the browser's time zone.
    await goTo(page, page.getByLabel('Time zone'));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('America/Chicago');
    await press(page, button('Save and continue'));
    await page.getByText('The first contacts').waitFor();
    await press(page, button(/^Try it on 25 contacts/));
    await page.getByText('The service knew').waitFor();
    await press(page, button(/^Send the rest/));
    await page.locator('#run').getByText('Done').waitFor();
    expect(await world.control.spent()).toBe(80);

    await press(page, link('Decisions'));
    await press(page, link('Open the first one'));
    await page.locator('.name-text mark').first().waitFor();
    await press(page, button('It is another person'));
    await page.getByText('Rejected: ').waitFor();

    await press(page, page.getByRole('navigation').getByRole('link', { name: 'Networks' }).first());
    await press(page, link(/^Connections/));
    await page.locator('[data-drawn-ms]').waitFor();
    await goTo(page, page.getByRole('slider'));
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.locator('[data-weakest]').first().innerText()).not.toBe('45 %');
    await press(page, page.locator('#paths tbody th a').first());
    await page.locator('.sentences').getByText('can introduce').first().waitFor();
    expect(complaints).toEqual([]);
  },
  TIMEOUT_MS,
);
