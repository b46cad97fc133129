import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createOwner } from './browser.ts';
import { openBuiltSetups } from './built-setups.ts';
import { comeAsAPerson } from './setup-person.ts';

const TIMEOUT_MS = 300_000;
const setups = openBuiltSetups(TIMEOUT_MS);

/**
 * A file without employers and addresses. Some columns have our field names, the status is a word, and two columns
 * have the same name.
 */
const FILE = [
  'Ref,First Name,Last Name,Status,Consent,Net Worth,Donor ID,Team,Team',
  ...['Active', 'Active', 'Passed', 'Moved', 'Active', 'Active'].map(
    (status, at) =>
      `${at + 1},Ada${'abcdef'[at]},Vale${'ghijkl'[at]},${status},${at === 5 ? 'Withdrawn' : 'Given'},rich,HFN-${at},a,b`,
  ),
].join('\n');

/**
 * Delays the sending of a form. The delay is longer than the pause after which the page previews its answers. Returns
 * the requests for these previews.
 */
async function watchLooksWhileSent(page: Page): Promise<string[]> {
  const looks: string[] = [];
  let isSent = false;
  await page.route('**/sign-in/state*', async (route) => {
    isSent = true;
    await page.waitForTimeout(700);
    await route.continue();
  });
  page.on('request', (request) => {
    if (isSent && request.postData()?.includes('do=look')) looks.push(request.url());
  });
  return looks;
}

it(
  'asks what words mean, warns with the price, and says how our fields are called',
  async () => {
    const choose = (name: string, buffer: Buffer) =>
      page.getByLabel('Choose a file').setInputFiles({ name, buffer, mimeType: 'text/csv' });
    const world = await setups.open(['csv']);
    const { page, press, complaints } = await comeAsAPerson(setups.browser(), world.url);
    await createOwner(page, world.signInUrl);
    await page.getByLabel('Name of the nonprofit').fill('Riverside');
    await press('Begin');
    const rows = page.getByRole('region', { name: 'The first rows of the file' });
    // The content is UTF-16 without a byte order mark, so a browser would not recognise it as text.
    await choose('wide.csv', Buffer.from('Ref;Name\n1;"Zoë; ""Z"" Vale"\n', 'utf16le'));
    await rows.getByRole('cell', { name: 'Zoë; "Z" Vale', exact: true }).waitFor();
    await choose('names.csv', Buffer.from('Ref\n1\n'));
    await page.getByText('must name at least 2 columns').waitFor();
    await choose('donors.csv', Buffer.from(FILE));
    await rows.getByRole('columnheader', { name: 'Team (1)' }).waitFor();
    await press('Use this file');
    await page.getByLabel('Key', { exact: true }).fill(world.service.apiKey);
    await press('Test the key');
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByLabel('Contact ID').selectOption('Ref');
    await page.getByText(/No address is chosen: .*credit/).waitFor();
    await page.getByText(/No employer is chosen: .*common name/).waitFor();
    await page.getByText('Several columns have the same name: "Team"').waitFor();
    await page.getByText('"Consent" marks 1 contacts that have opted out').waitFor();

    await page.getByLabel('Marks deceased contacts').selectOption('Status');
    await page.getByLabel('Marks contacts that must not be researched').selectOption('Consent');
    await press('Show who is sent');
    await page.getByLabel('“Active” (4)').selectOption({ label: 'living' });
    await page.getByLabel('“Passed” (1)').selectOption({ label: 'deceased' });
    await page.getByLabel('“Given” (5)').selectOption({ label: 'may be researched' });
    await page.getByLabel('“Withdrawn” (1)').selectOption({ label: 'opted out' });
    await press('Show who is sent');
    // One contact has died, one contact has opted out, and one contact waits until a user defines the meaning of
    // "Moved".
    await page.getByText('3 can be sent').waitFor();
    const looks = await watchLooksWhileSent(page);
    await page.getByLabel('“Moved” (1)').selectOption({ label: 'living' });
    await press('Save and continue');
    expect(looks).toEqual([]);
    const note = await page.getByText("donor-sync's columns are called").textContent();
    expect(note).toMatch(/“Donor ID”.*“Donor ID \(service\)”/s);
    await page.goto(`${world.url}/setup/riverside/people`);
    await page.getByText('4 can be sent').waitFor();
    expect(await page.getByLabel('“Moved” (1)').inputValue()).toContain('unmarked');
    expect(complaints).toEqual([]);
    expect(await world.control.spent()).toBe(0);
  },
  TIMEOUT_MS,
);
