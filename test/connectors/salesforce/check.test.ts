import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../../connectors/contract.ts';
import { salesforceSettingsSchema } from '../../../connectors/salesforce/settings.ts';
import {
  field,
  openScriptedSalesforce,
  records,
  refused,
  type ScriptedSalesforce,
} from './scripted-salesforce.ts';

/** All Contact fields that the connector reads. */
const EVERYTHING = [
  ...['Id', 'FirstName', 'LastName', 'AccountId', 'Note__c'],
  ...['Mailing', 'Other'].flatMap((kind) =>
    ['Street', 'City', 'State', 'PostalCode', 'Country'].map((part) => `${kind}${part}`),
  ),
];

describe('checking an integration with Salesforce', () => {
  let crm: ScriptedSalesforce;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
    crm.script(({ path }) => {
      if (path === '/services/data') return { body: [{ version: '66.0' }, { version: '67.0' }] };
      if (path.startsWith('/query?')) return records();
      if (path !== '/limits') return null;
      return { body: { DailyApiRequests: { Max: 1000, Remaining: 900 } } };
    });
    const account = { updateable: false, fields: [field('Name')] };
    crm.script(({ path }) => (path.endsWith('/Account/describe') ? { body: account } : null));
    describeContact({ updateable: true });
  });

  afterEach(() => crm.close());

  it('finds everything in order', async () => {
    const contacts = { filter: "LastName != 'Test'", optOutField: 'Note__c' };
    const findings = await crm.check({}, {}, contacts);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(findings.map(({ subject }) => subject)).toEqual([
      'sign-in',
      'API version',
      'Contact',
      'addresses',
      'employer',
      'deceased',
      'do not contact',
      'objects',
      'contacts',
      'opt-out',
      'daily requests',
      'clock',
    ]);
  });

  it('does not promise that an address passes at which nothing answers', async () => {
    const findings = await crm.check({ url: 'http://127.0.0.1:9' });
    expect(findings.filter(({ ok }) => !ok)).toMatchObject([
      { cause: 'crm_unavailable', fix: expect.stringContaining('check the spelling of crm.url') },
    ]);
  });

  it('says that it cannot sign in, and nothing that follows from it', async () => {
    crm.script(({ path }) =>
      path.endsWith('/token') ? { status: 400, body: { error: 'invalid_client_id' } } : null,
    );
    expect(await crm.check()).toMatchObject([{ subject: 'sign-in', ok: false }]);
  });

  it('names the newest version of an org that lacks the one in the settings', async () => {
    const findings = await crm.check({ apiVersion: '99.0' });
    expect(findings.find(({ ok }) => !ok)).toMatchObject({
      subject: 'API version',
      fix: expect.stringContaining('"67.0"'),
    });
  });

  it.each([
    [404, 'NOT_FOUND'],
    [410, 'UNSUPPORTED_API_VERSION'],
  ])(
    'names the version to write where the org has retired the one in the settings (%i)',
    async (status, code) => {
      crm.script(({ path }) => {
        if (path === '/services/data') return { body: [{ version: '68.0' }, { version: '69.0' }] };
        return path.startsWith('/services') ? null : refused(status, code);
      });
      const findings = await crm.check();
      expect(findings.find(({ ok }) => !ok)).toMatchObject({
        ...{ subject: 'API version', cause: 'crm_version_unknown' },
        fix: 'Set crm.apiVersion to "69.0".',
      });
    },
  );

  it('says that the certificate in the app is not that of the key, as after a rotation of one of them', async () => {
    refuseToken('invalid_grant', 'invalid assertion');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const auth = { type: 'jwt', clientId: 'app', username: 'sync@example.org', privateKey: pem };
    expect(await crm.check({ auth })).toMatchObject([
      {
        ...{ subject: 'sign-in', ok: false, cause: 'crm_unauthorized' },
        message: expect.stringContaining(
          'certificate in the app does not belong to crm.auth.privateKey',
        ),
      },
    ]);
  });

  it('asks for the My Domain where the address in the settings is one that all orgs share', async () => {
    refuseToken('invalid_grant', 'request not supported on this domain');
    expect(await crm.check()).toMatchObject([
      {
        ...{ subject: 'sign-in', ok: false },
        message: expect.stringMatching(/My Domain URL.*Setup → My Domain/),
      },
    ]);
  });

  it('sees that the user may not edit contacts', async () => {
    describeContact({ updateable: false });
    expect(unmet(await crm.check())).toEqual(['Contact']);
  });

  it('tells where a filter is wrong, and keeps what Salesforce says of it apart', async () => {
    const said =
      "Title = 'x' foo 'Zebulon' ERROR at Row:1:Column:43 unexpected token: 'Zebulon Quartermain'";
    crm.script(({ path }) =>
      path.startsWith('/query?') ? refused(400, 'MALFORMED_QUERY', said) : null,
    );
    const contacts = { filter: "Title = 'x' foo 'Zebulon'", optOutField: null };
    const findings = await crm.check({}, {}, contacts);
    const finding = findings.find(({ ok }) => !ok);
    expect(finding?.message).toContain('(MALFORMED_QUERY)');
    expect(finding?.message).toContain('from character 13 on');
    expect(JSON.stringify(findings)).not.toMatch(/Zebulon|Quartermain/);
    expect(finding?.words?.reveal()).toBe(said);
  });

  it('sees that few requests are left', async () => {
    crm.script(({ path }) =>
      path === '/limits' ? { body: { DailyApiRequests: { Max: 1000, Remaining: 100 } } } : null,
    );
    expect(unmet(await crm.check())).toEqual(['daily requests']);
  });

  it('does without the list of limits where the user may not see it', async () => {
    crm.script(({ path }) => (path === '/limits' ? refused(403, 'INSUFFICIENT_ACCESS') : null));
    expect(unmet(await crm.check())).toEqual([]);
    const connector = await crm.connector();
    expect(await connector.readLimits()).toBeNull();
  });

  it('sees that the clocks differ', async () => {
    const clock = { now: () => Date.now() - 180_000, sleep: () => Promise.resolve() };
    expect(unmet(await crm.check({}, { clock }))).toEqual(['clock']);
  });

  it.each([
    ['http://riverside.my.salesforce.com', 'https'],
    ['https://riverside.lightning.force.com', 'My Domain'],
  ])('refuses %s as the url', (url, words) => {
    const auth = { type: 'token', token: 't' };
    const result = salesforceSettingsSchema.safeParse({ kind: 'salesforce', url, auth });
    expect(result.error?.issues[0]?.message).toContain(words);
  });

  /** Sets the response to a description of Contact. It contains every field that the connector reads. */
  function describeContact({ updateable }: { updateable: boolean }): void {
    const fields = EVERYTHING.map((name) => field(name));
    crm.script(({ path }) =>
      path.endsWith('/Contact/describe') ? { body: { updateable, fields } } : null,
    );
  }

  function refuseToken(error: string, error_description: string): void {
    crm.script(({ path }) =>
      path.endsWith('/token') ? { status: 400, body: { error, error_description } } : null,
    );
  }

  function unmet(findings: readonly Finding[]): string[] {
    return findings.filter(({ ok }) => !ok).map(({ subject }) => subject);
  }
});
