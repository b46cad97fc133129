import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { join } from '../interfaces/api/people-world.ts';
import { type NetworkHttpWorld, openNetworkWorld } from './network-world.ts';
import { expectSound, openRooms } from './rooms.ts';

const { visit } = openRooms();
let world: NetworkHttpWorld;
let cookie = '';
beforeAll(async () => {
  world = await openNetworkWorld({ others: ['harbor'] });
  ({ cookie } = await join(world, 'Rea', 'reader'));
});
afterAll(() => world.close());

describe('the page of introductions', () => {
  it('says whom to call and who can introduce them, two clicks after signing in', async () => {
    const view = await visit(world, '/', { cookie });
    const { page } = view;
    await page.getByRole('link', { name: 'Introductions' }).click();
    const rows = page.getByRole('table').getByRole('row');
    expect(await rows.nth(1).innerText()).toMatch(/\$[\s\S]* of Board can introduce /);
    await expectSound(view);
    await rows.nth(1).getByRole('rowheader').getByRole('link').click();
    await page.waitForURL(/\/clients\/riverside\/contacts\//);
  });

  it('keeps a list of its user, filters, and gives a file with names', async () => {
    const view = await visit(world, '/introductions/riverside', { cookie });
    const { page } = view;
    const name = await page.getByRole('rowheader').first().innerText();
    await page
      .getByRole('button', { name: `Add to my list : ${name}` })
      .or(page.getByRole('button', { name: new RegExp(`Add to my list.*${name}`) }))
      .first()
      .click();
    await page.getByRole('link', { name: 'My list' }).click();
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual([name]);
    await expectSound(view);
    await page.getByLabel('Giving capacity').selectOption('$1,000,000 or more');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('The filters hide 1 contact of your list.').waitFor();
    await page.getByRole('link', { name: 'Show the whole list' }).click();
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual([name]);
    await page.getByRole('button', { name: /Remove from my list/ }).click();
    await page.getByText('Your list is empty.').waitFor();
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await page.getByLabel('Giving capacity').selectOption('$1,000,000 or more');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No contact matches these filters.').waitFor();
    await page.goto(`${world.url}/introductions/riverside`);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('introductions-riverside.csv');
  });

  it('says how a member knows a contact, names further members, and leads to the monthly email', async () => {
    const view = await visit(world, '/introductions/riverside', { cookie });
    const { page } = view;
    const cells = page.locator('td[data-label="Who can introduce"]');
    const texts = await cells.allInnerTexts();
    expect(
      texts.some((text) =>
        /\b(worked|works|sat|sits|served|serves|attended|attends|gave|give|knows)\b/.test(text),
      ),
    ).toBe(true);
    await page.getByRole('link', { name: 'Choose your monthly emails' }).click();
    await page.getByRole('heading', { name: 'Monthly emails' }).waitFor();
    await page.goBack();
    const more = page.getByRole('link', { name: /^and .* more/ }).first();
    const isOne = /and one more/.test(await more.innerText());
    await more.click();
    await page.getByRole('heading', { name: 'Who can introduce this contact' }).waitFor();
    const members = page
      .getByRole('list')
      .filter({ hasText: 'can introduce' })
      .getByRole('listitem');
    expect(await members.count()).toBeGreaterThan(1);
    if (isOne) expect(await members.count()).toBe(2);
  });

  it('works with the keyboard alone, without JavaScript, on a phone', async () => {
    const view = await visit(world, '/introductions/riverside', {
      cookie,
      javaScriptEnabled: false,
      width: 375,
    });
    const { page } = view;
    await page.getByLabel('Network').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/capacity=/);
    expect(await page.getByRole('rowheader').count()).toBeGreaterThan(5);
  });
});
