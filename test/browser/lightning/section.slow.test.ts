/**
 * Tests the section for record pages in a real browser. Salesforce's compiler compiles the section, which then shows
 * the stand-in's records.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { salesforceConnector } from '../../../connectors/salesforce/connector.ts';
import { EXAMPLE_URL } from '../../../connectors/salesforce/project/enhance-action.ts';
import { fieldsProject } from '../../../connectors/salesforce/project/project.ts';
import { DEFAULT_API_VERSION } from '../../../connectors/salesforce/settings.ts';
import {
  type Lightning,
  type LightningOptions,
  startLightning,
} from '../../../sandbox/salesforce/lightning/lightning.ts';
import { toFieldSpecs } from '../../../src/fields/describe.ts';
import { openOrg } from '../../connectors/salesforce/org.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { findBarriers, openView } from '../browser.ts';
import { openBrowser } from '../open-browser.ts';
import { compileComponents } from './compile.ts';

const open = closedAfterTest(openOrg);
const show = closedAfterTest((options?: LightningOptions) => {
  if (options === undefined) throw new Error('no options');
  return startLightning(options);
});

const SPECS = toFieldSpecs(salesforceConnector.defaultFields);
const { files: PROJECT } = fieldsProject({ apiVersion: DEFAULT_API_VERSION }, SPECS, EXAMPLE_URL);
const MODULES = compileComponents(PROJECT);

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

type Org = Awaited<ReturnType<typeof openOrg>>;

/** Opens an org that has the fields, and a contact with some values. */
async function openFilledOrg(options: Parameters<typeof openOrg>[0] = {}) {
  const org = await open(options);
  await (await org.connector()).createFields(SPECS);
  const lightning = await show({
    org: { baseUrl: org.sandbox.baseUrl, token: org.sandbox.token },
    project: PROJECT,
    modules: MODULES,
    credentials: { parameters: {}, permissionSets: [] },
  });
  return { org, lightning };
}

async function openRecord(lightning: Lightning, object: string, id: string) {
  const view = await openView(browser, lightning.url);
  await view.page.goto(`${lightning.url}/lightning/r/${object}/${id}/view`);
  await view.page.locator('body[data-ready]').waitFor();
  return view;
}

async function readValues(page: Page): Promise<string[]> {
  const rows = page.locator('dl > div');
  await rows.first().waitFor();
  return (await rows.allTextContents()).map((text) => text.trim());
}

async function addContact(org: Org, values: Record<string, unknown>): Promise<string> {
  const [id = ''] = await org.addContacts([
    { firstName: 'Ann', lastName: 'Archer', addresses: [], employers: [] },
  ]);
  for (const [field, value] of Object.entries(values)) await org.setValue(id, field, value);
  return id;
}

const personsSchema = z.object({
  records: z.array(z.object({ Id: z.string(), PersonContactId: z.string() })).min(1),
});

async function findPerson({ ask }: Org) {
  const soql = 'SELECT Id, PersonContactId FROM Account WHERE IsPersonAccount = true LIMIT 1';
  const { records } = personsSchema.parse(await ask('GET', `/query?q=${encodeURIComponent(soql)}`));
  return records[0] ?? { Id: '', PersonContactId: '' };
}

describe('the section on a contact', () => {
  it('shows the introduction first, then the profile, as Salesforce formats the values', async () => {
    const { org, lightning } = await openFilledOrg();
    const id = await addContact(org, {
      Warm_Path__c: 'Grace Lin, of the board, worked with her at Acme.',
      Warm_Path_Strength__c: 72,
      Donor_Giving_Capacity__c: 250_000,
      Donor_Profile__c: 'https://partner.example/donors/1',
    });
    const { page, complaints, close } = await openRecord(lightning, 'Contact', id);
    expect(await readValues(page)).toEqual([
      'Warm PathGrace Lin, of the board, worked with her at Acme.',
      'Warm Path Strength72%',
      'Donor Profilehttps://partner.example/donors/1',
      'Donor Giving Capacity$250,000.00',
    ]);
    const link = page.getByRole('link', { name: 'https://partner.example/donors/1' });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await findBarriers(page)).toEqual([]);

    await org.setValue(id, 'Donor_Giving_Capacity__c', 300_000);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('$300,000.00').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('says that there is no profile yet, and shows a script in a field as text', async () => {
    const { org, lightning } = await openFilledOrg();
    const empty = await addContact(org, {});
    const odd = await addContact(org, {
      Donor_Employer__c: 'javascript:alert(1)',
      Warm_Path__c: '<img src=x onerror=alert(1)>',
    });
    const first = await openRecord(lightning, 'Contact', empty);
    await first.page.getByText('There is no donor profile yet').waitFor();
    await first.close();
    const second = await openRecord(lightning, 'Contact', odd);
    expect(await readValues(second.page)).toEqual([
      'Warm Path<img src=x onerror=alert(1)>',
      'Donor Employerjavascript:alert(1)',
    ]);
    expect(await second.page.getByRole('link').count()).toBe(0);
    expect(second.complaints).toEqual([]);
    await second.close();
  });
});

describe('the section on an account', () => {
  it('shows the profile of a person account, under the names that it has there', async () => {
    const { org, lightning } = await openFilledOrg({ shape: 'personAccounts', contacts: 3 });
    const person = await findPerson(org);
    await org.setValue(person.PersonContactId, 'Donor_Age__c', 61);
    const { page, close } = await openRecord(lightning, 'Account', person.Id);
    expect(await readValues(page)).toEqual(['Donor Age61']);
    await close();
  });

  it('says that an organization has no donor profile', async () => {
    const { org, lightning } = await openFilledOrg();
    const [id = ''] = await org.create('Account', [{ Name: 'Acme' }]);
    const { page, close } = await openRecord(lightning, 'Account', id);
    await page.getByText('This account is not a person account').waitFor();
    await close();
  });
});
