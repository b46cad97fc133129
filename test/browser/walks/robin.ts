/**
 * Simulates Robin, who sets up donor-sync and does not use a terminal after she has started `serve`. README.md
 * describes her goals.
 */
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { type Account, ROBIN } from './accounts.ts';
import { ADDRESS } from './https-front.ts';
import { expectCalm, goToArea, signIn, type Visitor } from './visitor.ts';
import { BOARD, type WalkWorld } from './walk-world.ts';

export const CLIENT = 'Riverside Food Bank';
export const CLIENT_ID = 'riverside-food-bank';

/** A password that is long enough but easy to guess. */
const WEAK_PASSWORD = 'password12345';

/** Robin creates her account with the first link. A refused form keeps what she typed, except the password. */
export async function createAccount(robin: Visitor, link: string): Promise<void> {
  const { page, hands } = robin;
  await page.goto(link);
  await hands.press(page.getByRole('button', { name: 'Continue' }));
  await hands.type(page.getByLabel('Name'), ROBIN.name);
  await hands.type(page.getByLabel('E-mail'), ROBIN.email);
  await hands.type(page.getByLabel('Password'), WEAK_PASSWORD);
  await hands.press(page.getByRole('button', { name: 'Create account' }));
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe(ROBIN.name);
  expect(await page.getByLabel('E-mail').inputValue()).toBe(ROBIN.email);
  expect(await page.getByLabel('Password').inputValue()).toBe('');
  await hands.type(page.getByLabel('Password'), ROBIN.password);
  await hands.press(page.getByRole('button', { name: 'Create account' }));
  await page.getByText(`${ROBIN.name} (owner)`).waitFor();
  // The browser logs the refused request as an error.
  robin.complaints.splice(0);
}

/** Sets the server's address. A different browser confirms the address. Robin also uses it from then on. */
export async function setAddress(robin: Visitor, phone: Visitor): Promise<void> {
  const { page, hands } = robin;
  await page.getByRole('heading', { name: /^At which address/ }).waitFor();
  await hands.type(page.getByRole('textbox', { name: 'Address' }), 'donors.example.org');
  await hands.press(page.getByRole('button', { name: 'Create the link' }));
  await page.getByRole('img', { name: /^QR code/ }).waitFor();
  const link = await page.getByRole('link', { name: /confirm-address/ }).innerText();
  await expectCalm(robin);
  await phone.page.goto(link);
  await phone.hands.press(phone.page.getByRole('button', { name: 'Confirm' }));
  await phone.page.getByRole('heading', { name: 'The address is confirmed' }).waitFor();
  await expectCalm(phone);
  await hands.press(page.getByRole('link', { name: ADDRESS, exact: true }));
  await signIn(robin, ROBIN);
}

/** Sets up a client, from the first page to the result of the trial. */
export async function setUpClient(robin: Visitor, world: WalkWorld): Promise<void> {
  const { page, hands } = robin;
  await hands.press(page.getByRole('link', { name: 'Set up your first client' }));
  await hands.type(page.getByLabel('Name of the nonprofit'), CLIENT);
  await hands.press(page.getByRole('button', { name: 'Begin' }));
  await connect(robin, world);
  await enterKey(robin, world);
  await choosePeopleAndFields(robin, world);
  await chooseNetwork(robin, world);
  await chooseSchedule(robin);
  await tryIt(robin);
}

export async function connect(robin: Visitor, world: WalkWorld): Promise<void> {
  const { page, hands } = robin;
  const { kind } = world;
  await expectCalm(robin);
  if (kind === 'csv') {
    const file = await world.writeContacts('donors.csv', true);
    await hands.pickFile(page.getByLabel('Choose a file'), file);
    await page.getByRole('region', { name: 'The first rows of the file' }).waitFor();
    await hands.press(page.getByRole('button', { name: 'Use this file' }));
    await page.getByRole('heading', { name: 'Service key' }).waitFor();
    return;
  }
  const name = kind === 'salesforce' ? 'Salesforce' : 'HubSpot';
  const org = world.crms[kind];
  const door = page.locator('form.door', { hasText: `Connect ${name}` });
  const send = door.getByRole('button', { name: `Connect ${name}` });
  const allow = page.getByRole('button', { name: kind === 'salesforce' ? 'Allow' : 'Connect app' });
  await hands.type(door.getByLabel("The app's client ID"), org?.clientId ?? '');
  await hands.type(door.getByLabel('Client secret'), 'not the secret');
  if (kind === 'hubspot') await hands.press(door.getByText('or another address'));
  await hands.type(door.getByLabel('Address'), org?.baseUrl ?? '');
  await hands.press(send);
  await page.waitForURL(/authorize/);
  await hands.press(allow);
  await page.waitForURL(`${ADDRESS}/**`);
  await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1);
  robin.complaints.splice(0);
  await hands.press(page.getByRole('link', { name: 'Back to the set-up' }));
  expect(await door.getByLabel("The app's client ID").inputValue()).toBe(org?.clientId);
  await hands.type(door.getByLabel('Client secret'), org?.clientSecret ?? '');
  await hands.press(send);
  await page.waitForURL(/authorize/);
  await hands.press(allow);
  await page.getByText('Connected to').waitFor();
  await hands.press(page.getByRole('link', { name: 'Continue' }));
}

/** Enters a wrong key, which the page refuses, and then the right key. The page never shows the right key again. */
export async function enterKey(robin: Visitor, { service }: WalkWorld): Promise<void> {
  const { page, hands } = robin;
  await page.getByRole('heading', { name: 'Service key' }).waitFor();
  expect(await page.getByRole('link', { name: 'Continue' }).count()).toBe(0);
  await hands.type(page.getByLabel('Key', { exact: true }), 'not-a-key');
  await hands.press(page.getByRole('button', { name: 'Test the key' }));
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').count()).toBe(1);
  robin.complaints.splice(0);
  await hands.type(page.getByLabel(/^(Key|Another key)$/), service.apiKey);
  await hands.press(page.getByRole('button', { name: 'Test the key' }));
  await page.getByText('The service knows this key').waitFor();
  expect(await page.content()).not.toContain(service.apiKey);
  await page.getByText('Entered. Leave this empty').waitFor();
  await expectCalm(robin);
  await hands.press(page.getByRole('link', { name: 'Continue' }));
}

export async function choosePeopleAndFields(robin: Visitor, { kind }: WalkWorld): Promise<void> {
  const { page, hands } = robin;
  await page.getByRole('heading', { name: 'As they would be sent' }).waitFor();
  await expectCalm(robin);
  await saveAndContinue(robin);
  await page.getByRole('heading', { name: 'Where do the profiles go?' }).waitFor();
  if (kind !== 'csv') {
    await hands.press(page.getByRole('button', { name: 'Create them in the CRM' }));
    await page.getByText('The fields exist now').waitFor();
  }
  await expectCalm(robin);
  await saveAndContinue(robin);
}

export async function chooseNetwork(robin: Visitor, { kind }: WalkWorld): Promise<void> {
  const { page, hands } = robin;
  await page.getByRole('heading', { name: 'Which groups become networks?' }).waitFor();
  const groups = await page.getByRole('table').innerText();
  expect(groups).not.toMatch(/deceased|do not (contact|mail|call)|opt/i);
  await hands.tick(page.getByRole('checkbox', { name: BOARD[kind] }).first());
  await expectCalm(robin);
  await hands.press(page.getByRole('button', { name: 'Continue' }));
  if (kind === 'csv') return;
  // Introductions are written to separate fields. After that, the set-up continues with the next step.
  await page.getByText('warm paths are written to separate fields').waitFor();
  await hands.press(page.getByRole('button', { name: 'Create them in the CRM' }));
  await page.getByText('The fields exist now').waitFor();
}

/** The page suggests the browser's time zone. */
export async function chooseSchedule(robin: Visitor): Promise<void> {
  const { page, hands } = robin;
  await expect.poll(() => page.getByLabel('Time zone').inputValue()).toBe('America/Chicago');
  await hands.type(page.getByLabel('Maximum credits per month'), '500');
  await page.getByText(`e-mail to ${ROBIN.email}`).waitFor();
  await expectCalm(robin);
  await saveAndContinue(robin);
  await page.getByText('The first contacts').waitFor();
}

async function saveAndContinue({ page, hands }: Visitor): Promise<void> {
  await hands.press(page.getByRole('button', { name: 'Save and continue' }));
}

/**
 * Tries 25 contacts. The summary links back to each choice. The page shows the result of the trial before the client
 * spends more credits.
 */
export async function tryIt(robin: Visitor): Promise<void> {
  const { page, hands } = robin;
  const choices = page.getByRole('region', { name: 'Your choices' });
  await choices.getByText('at most 500 credits a month').waitFor();
  await expectCalm(robin);
  await hands.press(choices.getByRole('link', { name: /^Change.*schedule/i }));
  await hands.type(page.getByLabel('Maximum credits per month'), '400');
  await saveAndContinue(robin);
  await choices.getByText('at most 400 credits a month').waitFor();
  await hands.press(page.getByRole('button', { name: /^Try it on 25 contacts/ }));
  await page.getByText('The service knew').waitFor();
  expect(await page.getByRole('main').innerText()).not.toMatch(/stopped/i);
  await expectCalm(robin);
}

/** Chooses to send the remaining contacts after the trial. */
export async function sendTheRest(robin: Visitor): Promise<void> {
  const { page, hands } = robin;
  await page.getByRole('heading', { name: /^When are/ }).waitFor();
  await page.getByRole('button', { name: /^Finish, and send/ }).waitFor();
  await hands.press(page.getByRole('button', { name: /^Send the rest/ }));
  await page.waitForURL(/\/runs\//);
  await page.locator('#run').getByText('Done').waitFor();
  await expectCalm(robin);
}

/** Answers the pending decisions. The header, the first page and the sidebar show the same number of decisions. */
export async function decide(robin: Visitor): Promise<void> {
  const { page, hands } = robin;
  await goToArea(robin, 'Clients');
  const rail = page.getByRole('navigation', { name: 'Areas', includeHidden: true });
  const count = await numberIn(rail.getByRole('link', { name: /^Decisions/, includeHidden: true }));
  expect(count).toBeGreaterThan(0);
  expect(await numberIn(page.locator('.tasks a', { hasText: 'decision' }))).toBe(count);
  const needs = await numberIn(rail.getByRole('link', { name: /^Clients/, includeHidden: true }));
  expect(await numberIn(page.locator('#chip'))).toBe(needs);
  await expectCalm(robin);
  await hands.press(page.locator('.tasks a', { hasText: 'decision' }));
  const open = page.getByRole('link', { name: 'Open the first one' });
  if (await open.isVisible()) await hands.press(open);
  await page.getByText('In your CRM').first().waitFor();
  await page.getByText('In the profile').first().waitFor();
  await expectCalm(robin);
  await hands.press(page.getByRole('button', { name: 'It is the same person' }));
  await page.getByText('Approved: ').waitFor();
}

async function numberIn(place: Locator): Promise<number> {
  return Number(/\d+/.exec((await place.first().textContent()) ?? '')?.[0] ?? '0');
}

/** The email about the decision links to the page where Robin can answer. A test email shows that emails arrive. */
export async function checkAlerts(robin: Visitor, { mails }: WalkWorld): Promise<void> {
  const { page, hands } = robin;
  await goToArea(robin, 'Clients');
  await hands.press(page.getByRole('main').getByRole('link', { name: CLIENT }).first());
  await hands.press(page.getByRole('link', { name: 'Alerts', exact: true }));
  await page.getByRole('heading', { name: 'Sent by email' }).waitFor();
  const read = () => mails.map(({ source }) => toText(source)).join('\n');
  await hands.press(page.getByRole('button', { name: 'Test' }));
  await page.getByText('the message was accepted').waitFor();
  await expect.poll(read).toMatch(new RegExp(`There is no problem\\.\\s+donor-sync at ${ADDRESS}`));
  await expectCalm(robin);
  await expect.poll(read).toContain(`${ADDRESS}/decisions?client=${CLIENT_ID}`);
  // The trial stopped at its limit as planned, so the page must not report a problem.
  expect(read()).not.toContain('the last run stopped');
  await page.goto(`${ADDRESS}/decisions?client=${CLIENT_ID}`);
  await page.getByRole('heading', { level: 1, name: 'Decisions' }).waitFor();
  await goToArea(robin, 'Clients');
}

/** Returns the text of an email, as an email program shows it. */
export function toText(source: string): string {
  return source
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
}

/** The run's page shows the numbers of written and restored values, and the responsible users. */
export async function undoRun(robin: Visitor): Promise<void> {
  const { page, hands } = robin;
  await openLastRun(robin);
  await hands.press(page.getByRole('button', { name: 'Undo run' }));
  await page.getByRole('heading', { level: 1, name: /^Undo this run/ }).waitFor();
  await page.getByText('Credits are not refunded').waitFor();
  await expectCalm(robin);
  await hands.press(page.getByRole('button', { name: /^(?:Undo run|Request the undo)$/ }));
}

/** Checks the run's page after the undo has ended. */
export async function seeUndone({ page }: Visitor, by: Account): Promise<void> {
  // The page refreshes itself. While the undo is running, the page shows how many values it has restored so far.
  await expect
    .poll(() => page.locator('.undone').innerText())
    .toMatch(new RegExp(`^\\d+ written, \\d+ restored by ${by.name}`));
}

export async function openLastRun(visitor: Visitor): Promise<void> {
  const { page, hands } = visitor;
  await goToArea(visitor, 'Runs');
  // The first row is the latest run. The trial is below it.
  await hands.press(page.getByRole('main').locator('tbody').getByRole('link').first());
  await page.waitForURL(/\/runs\//);
}

/**
 * Enhances a contact. The page first shows the effect and the cost. Robin then confirms the action. If the contact is
 * up to date, she leaves the page.
 */
export async function enhanceNow(robin: Visitor, world: WalkWorld, name: string): Promise<void> {
  const { page, hands } = robin;
  await findByName(robin, name);
  await hands.press(page.getByRole('main').getByRole('link', { name, exact: true }).first());
  await page.getByRole('heading', { level: 1, name }).waitFor();
  const before = await world.control.spent();
  await hands.press(page.getByRole('button', { name: 'Enhance now…' }));
  await page.getByRole('heading', { level: 1, name: 'Enhance now' }).waitFor();
  await expectCalm(robin);
  const confirm = page.getByRole('button', { name: /^Enhance (at no cost|for 1 credit)$/ });
  if (!(await confirm.isVisible())) return hands.press(page.getByRole('link', { name: 'Back' }));
  const most = (await confirm.innerText()).includes('1 credit') ? 1 : 0;
  await hands.press(confirm);
  await page.waitForURL(/\/runs\//);
  await page.locator('#run').getByText('Done').waitFor();
  expect((await world.control.spent()) - before).toBeLessThanOrEqual(most);
  await expectCalm(robin);
}

/** Finds a contact by name and erases it after a preview. Then its page and the search show that it was erased. */
export async function eraseContact(robin: Visitor, name: string): Promise<void> {
  const { page, hands } = robin;
  await findByName(robin, name);
  await hands.press(page.getByRole('main').getByRole('link', { name, exact: true }).first());
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await expectCalm(robin);
  await hands.press(page.getByRole('button', { name: 'Erase…' }));
  const removed = page.getByRole('table', { name: 'What is removed' });
  const profiles = removed.getByRole('row', { name: /^Profiles that were paid for/ });
  expect(await profiles.locator('[data-label="Number"]').innerText()).toBe('1');
  await page.getByText('The erased data cannot be restored.').waitFor();
  await expectCalm(robin);
  await hands.press(page.getByRole('button', { name: 'Erase this contact' }));
  await expect
    .poll(async () => {
      await page.reload();
      return page.getByRole('main').innerText();
    })
    .toContain('This contact was erased');
  await findByName(robin, name);
  await page.getByText('No contact was found.').waitFor();
}

/** Searches for a name on the client's contacts page. */
export async function findByName(visitor: Visitor, name: string): Promise<void> {
  const { page, hands } = visitor;
  await goToArea(visitor, 'Clients');
  await hands.press(page.getByRole('main').getByRole('link', { name: CLIENT }).first());
  await hands.press(page.getByRole('link', { name: 'Contacts', exact: true }).first());
  await hands.type(page.getByLabel('Name, or ID in the CRM'), name);
  await hands.press(page.getByRole('button', { name: 'Search' }));
  await page.getByRole('heading', { name: 'Found' }).waitFor();
}

/** Invites a colleague. Returns the link that she sends to the colleague. */
export async function invite(robin: Visitor, who: Account, role: string): Promise<string> {
  const { page, hands } = robin;
  await goToArea(robin, 'Users');
  const form = page.getByRole('region', { name: 'Invite a user' });
  await hands.type(form.getByLabel('Name'), who.name);
  await hands.type(form.getByLabel('E-mail'), who.email);
  await hands.choose(form.getByLabel('Role'), role);
  await hands.press(form.getByRole('button', { name: 'Invite' }));
  await page.getByRole('heading', { name: `The link for ${who.name}` }).waitFor();
  await expectCalm(robin);
  return page.getByLabel('Link', { exact: true }).inputValue();
}

/** Checks that the only owner cannot lower her own role. */
export async function tryToLeave(robin: Visitor): Promise<void> {
  const { page, hands } = robin;
  await goToArea(robin, 'Users');
  const row = page.getByRole('row', { name: new RegExp(ROBIN.name) });
  await hands.press(row.getByRole('button', { name: `Change ${ROBIN.name}` }));
  const dialog = page.getByRole('dialog', { name: ROBIN.name });
  await hands.choose(dialog.getByLabel('Role'), 'viewer');
  await hands.press(dialog.getByRole('button', { name: 'Save rights' }));
  await page.getByRole('alert').first().waitFor();
  await goToArea(robin, 'Clients');
  await page.getByText(`${ROBIN.name} (owner)`).waitFor();
  robin.complaints.splice(0);
}

/** Recovers her account. The restart writes a link. All later steps happen in the browser. */
export async function recover(robin: Visitor, world: WalkWorld): Promise<void> {
  const { page, hands, context } = robin;
  const password = 'harbour walnut crisp meadow';
  await context.clearCookies();
  await page.goto(await world.recoverAfterAMonth());
  await hands.press(page.getByRole('button', { name: 'Continue' }));
  await page.getByRole('heading', { name: 'Recover your account' }).waitFor();
  await hands.type(page.getByLabel('Name'), ROBIN.name);
  await hands.type(page.getByLabel('E-mail'), ROBIN.email);
  await hands.type(page.getByLabel('Password'), password);
  await hands.press(page.getByRole('button', { name: 'Set password' }));
  await page.getByText(`${ROBIN.name} (owner)`).waitFor();
  await page.goto(`${ADDRESS}/sign-in`);
  await signIn(robin, { ...ROBIN, password });
  await page.getByRole('main').getByText(CLIENT).first().waitFor();
  const told = () => world.mails.map(({ source }) => toText(source)).join('\n');
  await expect.poll(told).toMatch(/recover/i);
}
