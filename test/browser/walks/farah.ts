/**
 * Simulates Farah, who raises funds. She wants to know whom she can call and who can introduce her. README.md describes
 * her goals.
 */
import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { Account } from './accounts.ts';
import { ADDRESS } from './https-front.ts';
import { CLIENT, findByName, toText } from './robin.ts';
import { expectCalm, goToArea, type Visitor } from './visitor.ts';
import type { WalkWorld } from './walk-world.ts';

/** An ID of Salesforce or HubSpot, or of the service. */
const ID = /\b(003[A-Za-z0-9]{12,15}|\d{9,}|donor_\w+|donor-(?!sync\b)\w+)\b/;

/** Follows the invitation, chooses a password, and arrives at the first page. */
export async function join(visitor: Visitor, link: string, who: Account): Promise<void> {
  const { page, hands } = visitor;
  await page.goto(link);
  await hands.type(page.getByLabel('Password'), who.password);
  await hands.press(page.getByRole('button', { name: 'Join' }));
  await page.getByText(who.name).first().waitFor();
  await expectCalm(visitor);
}

/** Checks that contacts are ranked by capacity band, and that each row gives its reason in a sentence with names. */
export async function readRanking(farah: Visitor): Promise<void> {
  const { page } = farah;
  await goToArea(farah, 'Introductions');
  await page.getByRole('heading', { level: 1, name: 'Introductions' }).waitFor();
  const bands = await page.locator('td[data-label="Giving capacity"]').allInnerTexts();
  expect(bands.length).toBeGreaterThan(1);
  const dollars = bands.map(toDollars);
  expect(dollars).toEqual(dollars.toSorted((a, b) => b - a));
  const sentences = await page.locator('td[data-label^="Who can introduce"]').allInnerTexts();
  for (const sentence of sentences) expect(sentence).toMatch(/ can introduce /);
  expect(await page.getByRole('table').innerText()).not.toMatch(ID);
  await expectCalm(farah);
}

function toDollars(text: string): number {
  const [, number = '0', unit = ''] = /\$([\d.,]+)\s*([KMB]?)/.exec(text) ?? [];
  const units: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9 };
  return Number(number.replaceAll(',', '')) * (units[unit] ?? 1);
}

/** Filters the ranking by network, by the introducing member, and by capacity. */
export async function filterRanking(farah: Visitor): Promise<void> {
  const { page, hands } = farah;
  const names = page.getByRole('main').getByRole('rowheader');
  const all = await names.count();
  const members = page.getByLabel('Member');
  const member = (await members.getByRole('option').nth(1).textContent())?.trim() ?? '';
  expect(member).not.toMatch(ID);
  const network = (await page.getByLabel('Network').getByRole('option').nth(1).textContent()) ?? '';
  await hands.choose(page.getByLabel('Network'), network.trim());
  await hands.choose(members, member);
  await hands.press(page.getByRole('button', { name: 'Show' }));
  await page.waitForURL(/member=/);
  expect(await names.count()).toBeLessThanOrEqual(all);
  for (const sentence of await page
    .locator('td[data-label^="Who can introduce"]')
    .allInnerTexts()) {
    expect(sentence).toContain(member);
  }
  await expectCalm(farah);
  await hands.choose(page.getByLabel('Giving capacity'), '$1,000,000 or more');
  await hands.choose(page.getByLabel('Member'), 'Anyone');
  await hands.press(page.getByRole('button', { name: 'Show' }));
  await page.waitForURL(/capacity=/);
  await expectCalm(farah);
}

/** Creates her own list with two contacts. */
export async function makeList(farah: Visitor): Promise<void> {
  const { page, hands } = farah;
  await goToArea(farah, 'Introductions');
  const names = page.getByRole('main').getByRole('rowheader');
  const chosen = (await names.allInnerTexts()).slice(0, 2);
  for (const name of chosen) {
    await hands.press(
      page.getByRole('button', { name: new RegExp(`^Add to my list\\s*: ${name}`) }),
    );
  }
  await hands.press(page.getByRole('link', { name: 'My list' }));
  expect((await names.allInnerTexts()).toSorted()).toEqual(chosen.toSorted());
  await expectCalm(farah);
}

/** Chooses contacts at random. At most one contact is not in the ranking, because it has no path. */
export async function drawContacts(
  farah: Visitor,
  names: readonly string[],
  count: number,
): Promise<{ introduced: string[]; others: string[] }> {
  const { page } = farah;
  await goToArea(farah, 'Introductions');
  const ranked = await page.getByRole('main').getByRole('rowheader').allInnerTexts();
  const draw = (from: readonly string[]) =>
    from
      .map((name) => ({ name, place: Math.random() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ name }) => name);
  const introduced = draw(ranked.filter((name) => names.includes(name))).slice(0, count - 1);
  return {
    introduced,
    others: draw(names.filter((name) => !ranked.includes(name))).slice(
      0,
      count - introduced.length,
    ),
  };
}

const MOST_ACTIONS = 3;

/**
 * Goes from the first page to the sentence about a contact whose name she knows. She opens the search, types the name,
 * and selects the contact.
 */
export async function reachContact(farah: Visitor, name: string): Promise<string> {
  const { page, hands } = farah;
  await page.goto(`${ADDRESS}/`);
  let actions = 0;
  const act = async (action: Promise<void>) => {
    actions += 1;
    await action;
  };
  await act(hands.press(page.getByRole('button', { name: /^Find/ })));
  const search = page.getByRole('dialog', { name: 'Find' }).getByRole('combobox');
  await act(hands.type(search, name));
  const hit = page.getByRole('option', { name: new RegExp(`^${name}`) }).first();
  await hit.waitFor();
  await act(chooseHit(farah, hit));
  await page.getByRole('heading', { level: 1, name }).waitFor();
  expect(actions).toBeLessThanOrEqual(MOST_ACTIONS);
  const part = page.getByRole('region', { name: 'Who can introduce this contact' });
  await part.waitFor();
  expect(await part.innerText()).not.toMatch(ID);
  await expectCalm(farah);
  return part.innerText();
}

/** The keyboard focus stays in the search field, and the arrow keys change the selected result. */
async function chooseHit({ page, ways, hands }: Visitor, hit: Locator): Promise<void> {
  if (ways.hands === 'pointer') return hands.press(hit);
  for (let step = 0; (await hit.getAttribute('aria-selected')) !== 'true'; step += 1) {
    if (step > 50) throw new Error('The arrows do not lead to the contact.');
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
}

/** Reads the contact's page: its values with the run that wrote them, the evidence, and the history. */
export async function readContact(farah: Visitor): Promise<void> {
  const { page, hands } = farah;
  await goToArea(farah, 'Introductions');
  const name = await page.getByRole('main').getByRole('rowheader').first().innerText();
  await findByName(farah, name);
  await hands.press(page.getByRole('main').getByRole('link', { name, exact: true }).first());
  await page.getByRole('heading', { name: 'Profile', exact: true }).waitFor();
  await page.getByText(/% sure that it is this person/).waitFor();
  expect(
    await page
      .getByRole('main')
      .getByRole('link', { name: /^written/ })
      .count(),
  ).toBeGreaterThan(0);
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await expectCalm(farah);
}

/** Asks by name who knows the first contact of the ranking. */
export async function askWhoKnows(farah: Visitor): Promise<void> {
  const { page, hands } = farah;
  await goToArea(farah, 'Introductions');
  const name = await page.getByRole('main').getByRole('rowheader').first().innerText();
  await goToArea(farah, 'Networks');
  await hands.press(page.getByRole('link', { name: `Connections at ${CLIENT}` }));
  await hands.type(page.getByLabel('Who knows'), name);
  await hands.press(page.getByRole('main').getByRole('button', { name: 'Find', exact: true }));
  await page.getByRole('heading', { name: 'Found' }).waitFor();
  await hands.press(page.getByRole('main').getByRole('link', { name, exact: true }).first());
  const sentences = page.getByRole('region', { name: 'Who can introduce this contact' });
  await sentences.getByText('can introduce').first().waitFor();
  expect(await sentences.innerText()).not.toMatch(ID);
  await expectCalm(farah);
}

export async function downloadRanking(farah: Visitor): Promise<void> {
  const { page, hands } = farah;
  await goToArea(farah, 'Introductions');
  const name = await page.getByRole('main').getByRole('rowheader').first().innerText();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    hands.press(page.getByRole('button', { name: 'Download as CSV' })),
  ]);
  expect(await readFile(await file.path(), 'utf8')).toContain(name);
}

/** Switches on a monthly email, and confirms the address with the link in a confirmation email. */
export async function chooseMail(
  visitor: Visitor,
  world: WalkWorld,
  { who, mail }: { who: Account; mail: 'Introductions' | 'Results' },
): Promise<void> {
  const { page, hands } = visitor;
  await hands.press(page.getByRole('link', { name: new RegExp(`^${who.name} \\(`) }));
  await hands.press(page.getByRole('button', { name: `Turn on the email ${mail}` }));
  const own = () => world.mails.filter(({ to }) => to.includes(who.email)).at(-1)?.source ?? '';
  await expect.poll(() => toText(own())).toContain('confirm?code=');
  await expectCalm(visitor);
  const [link = ''] = /https:\S+confirm\?code=[\w-]+/.exec(toText(own())) ?? [];
  await page.goto(link);
  await hands.press(page.getByRole('button', { name: 'Confirm' }));
  const row = page.getByRole('row', { name: new RegExp(`^${mail}`) });
  await row.getByText('on', { exact: true }).waitFor();
  expect(await page.getByText('is not confirmed').count()).toBe(0);
  await expectCalm(visitor);
}

/**
 * Reads the monthly email. It contains counts, the client's name and a link, but no contact's name. Opening the link
 * to unsubscribe changes nothing. Only the button on that page ends the emails.
 */
export async function readMonthlyMail(
  visitor: Visitor,
  world: WalkWorld,
  {
    who,
    mail,
    names,
  }: { who: Account; mail: 'Introductions' | 'Results'; names: readonly string[] },
): Promise<void> {
  const { page, hands } = visitor;
  await expect.poll(() => findMonthlyMail(world, who)).toContain(CLIENT);
  const text = findMonthlyMail(world, who);
  expect(text).toContain(`${ADDRESS}/${mail.toLowerCase()}`);
  expect(text).toMatch(mail === 'Results' ? /Credits: \d+/ : /\d+ contacts? can be introduced/);
  for (const name of names) expect(text).not.toContain(name);
  const [link = ''] = /https:\S+\/stop-mails\/[\w.-]+/.exec(text) ?? [];
  await page.goto(link);
  await page.getByRole('heading', { name: `Turn off the email “${mail}”?` }).waitFor();
  await expectCalm(visitor);
  const row = page.getByRole('row', { name: new RegExp(`^${mail}`) });
  await page.goto(`${ADDRESS}/account`);
  await row.getByText('on', { exact: true }).waitFor();
  await page.goto(link);
  await hands.press(page.getByRole('button', { name: 'Turn it off' }));
  await page.getByRole('heading', { name: `The email “${mail}” is turned off` }).waitFor();
  await page.goto(`${ADDRESS}/account`);
  await row.getByText('off', { exact: true }).waitFor();
  await expectCalm(visitor);
}

/** Stops a monthly email on the user's own page. The email has not been sent although another user has got one. */
export async function stopMailEarly(
  visitor: Visitor,
  world: WalkWorld,
  { who, mail }: { who: Account; mail: 'Introductions' | 'Results' },
): Promise<void> {
  const { page, hands } = visitor;
  expect(findMonthlyMail(world, who)).toBe('');
  await page.goto(`${ADDRESS}/account`);
  await hands.press(page.getByRole('button', { name: `Turn off the email ${mail}` }));
  const row = page.getByRole('row', { name: new RegExp(`^${mail}`) });
  await row.getByText('off', { exact: true }).waitFor();
  await expectCalm(visitor);
}

/** Returns the text of the monthly email that a user has received, or an empty text. */
function findMonthlyMail({ mails }: WalkWorld, { email }: Account): string {
  return (
    mails
      .filter(({ to }) => to.includes(email))
      .map(({ source }) => toText(source))
      .find((text) => text.includes('/stop-mails/')) ?? ''
  );
}
