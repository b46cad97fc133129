/** Tests fields in which users type to choose from a long list. */
import { describe, expect, it } from 'vitest';
import { findBarriers } from './browser.ts';
import { expectSound, openRooms } from './rooms.ts';

const { openWorld, visit } = openRooms();

const OTHERS = ['harbor', 'lakeside', 'north-shelter', 'south-shelter'];

describe('a field with suggestions', () => {
  it('offers the clients by name, and is operated with the keyboard alone', async () => {
    const world = await openWorld({ others: OTHERS, isIdle: true });
    const phone = { width: 375, colorScheme: 'dark' } as const;
    const view = await visit(world, '/runs', phone);
    const { page } = view;
    const field = page.getByRole('combobox', { name: 'Client' });
    const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
    expect(await field.getAttribute('aria-expanded')).toBe('false');
    await field.focus();
    await page.keyboard.type('shelter');
    expect(await options.allInnerTexts()).toEqual(['north-shelter', 'south-shelter']);
    expect(await field.getAttribute('aria-expanded')).toBe('true');
    expect(await page.getByRole('status').allInnerTexts()).toContain('2 options.');
    expect(await findBarriers(page)).toEqual([]);

    await page.keyboard.press('ArrowUp');
    const chosen = page.getByRole('listbox').getByRole('option', { selected: true });
    expect(await chosen.innerText()).toBe('south-shelter');
    expect(await field.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'));
    await page.keyboard.press('Escape');
    expect(await options.count()).toBe(0);
    expect(await field.inputValue()).toBe('shelter');

    // Part of the name is enough, and the form sends the ID.
    await page.keyboard.press('Control+a');
    await page.keyboard.type('food');
    await options.first().waitFor();
    expect(await options.allInnerTexts()).toEqual(['Riverside Food Bank riverside']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('riverside');
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('Enter');
    await page.waitForURL(/client=riverside/);
    await expectSound(view);
  });

  it('is chosen from with the pointer, and stays where the field is', async () => {
    const world = await openWorld({ others: OTHERS, isIdle: true });
    const { page, complaints } = await visit(world, '/runs');
    const field = page.getByRole('combobox', { name: 'Client' });
    await field.click();
    const list = page.getByRole('listbox', { name: 'Suggestions' });
    expect(await list.getByRole('option').count()).toBe(5);
    const [above, below] = [await field.boundingBox(), await list.boundingBox()];
    expect(below?.x).toBeCloseTo(above?.x ?? 0, 0);
    expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
    await list.getByRole('option', { name: 'lakeside' }).click();
    expect(await field.inputValue()).toBe('lakeside');
    expect(await list.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.waitForURL(/client=lakeside/);
    expect(complaints).toEqual([]);
  });

  it("is the browser's own without JavaScript", async () => {
    const world = await openWorld({ others: OTHERS, isIdle: true });
    const { page } = await visit(world, '/runs', { javaScriptEnabled: false });
    const offered = page.locator('datalist#run-clients option');
    expect(await offered.allTextContents()).toContain('Riverside Food Bank');
    await page.getByRole('combobox', { name: 'Client' }).fill('harbor');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.waitForURL(/client=harbor/);
  });
});

describe('a long list', () => {
  it('becomes a field to type in, which never holds anything but an option', async () => {
    const world = await openWorld({ isIdle: true });
    const view = await visit(world, '/audit', { width: 768 });
    const { page } = view;
    const field = page.getByRole('combobox', { name: 'Action' });
    expect(await field.inputValue()).toBe('all');
    await field.fill('run.sto');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    expect(await field.inputValue()).toBe('Stopped a run (run.stopped)');
    await field.fill('nonsense');
    expect(await page.getByRole('status').allInnerTexts()).toContain('No option matches.');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/action=run.stopped/);
    expect(await field.inputValue()).toBe('Stopped a run (run.stopped)');
    await field.click();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expectSound(view);
  });

  it('is a plain list without JavaScript', async () => {
    const world = await openWorld({ isIdle: true });
    const { page } = await visit(world, '/audit', { javaScriptEnabled: false });
    await page.getByLabel('Action').selectOption('run.stopped');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/action=run.stopped/);
  });
});
