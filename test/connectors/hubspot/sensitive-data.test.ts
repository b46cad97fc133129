import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hubspotConnector } from '../../../connectors/hubspot/connector.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { fieldSpecFor } from '../../../src/mapping/field-specs.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount } from './account.ts';

const NAME = 'donor_net_worth_low';
const SPEC = fieldSpecFor('netWorth.low', NAME);
const PROPERTIES = '/crm/properties/2026-09/contacts';
const SENSITIVE = { sensitiveData: true };

const USUAL_SCOPES = [
  'oauth',
  'crm.objects.contacts.read',
  'crm.objects.contacts.write',
  'crm.schemas.contacts.write',
];

describe('properties that store Sensitive Data', () => {
  let account: Account;

  beforeEach(async () => {
    account = await openAccount();
  });

  afterEach(() => account.close());

  async function create(settings: Record<string, unknown>) {
    const connector = await account.connector(settings);
    const created = await connector.createFields([SPEC]);
    await connector.close();
    return created;
  }

  async function fieldOf(settings: Record<string, unknown>) {
    const connector = await account.connector(settings);
    const fields = await connector.describeFields();
    await connector.close();
    return fields.find(({ name }) => name === NAME);
  }

  async function withScopes(scopes: readonly string[]) {
    return { ...SENSITIVE, auth: { type: 'token', token: await account.issueToken({ scopes }) } };
  }

  it('are made, described, written and read where the settings say so', async () => {
    expect(await create(SENSITIVE)).toMatchObject([{ name: NAME, result: 'created' }]);
    expect(await account.ask('GET', `${PROPERTIES}/${NAME}`)).toMatchObject({
      dataSensitivity: 'sensitive',
    });
    expect(await fieldOf(SENSITIVE)).toMatchObject({ type: 'number', writable: true });
    const [id = ''] = await account.addContacts(people(1));
    const connector = await account.connector(SENSITIVE);
    const results = await toArray(connector.write([{ id, values: { [NAME]: 5_000_000 } }]));
    expect(results).toEqual([{ status: 'written', id }]);
    const [lookup] = await connector.readByIds([id], [NAME]);
    expect(lookup).toMatchObject({ state: 'found', values: { [NAME]: 5_000_000 } });
    await connector.close();
    expect(await create(SENSITIVE)).toMatchObject([{ name: NAME, result: 'existed' }]);
  });

  it('are not shown otherwise, and `fields create` says what they are', async () => {
    await create(SENSITIVE);
    expect(await fieldOf({})).toBeUndefined();
    expect(await create({})).toEqual([
      { name: NAME, result: 'failed', problem: expect.stringContaining('crm.sensitiveData: true') },
    ]);
  });

  it('need scopes of their own, to be made and to be written', async () => {
    const settings = await withScopes(USUAL_SCOPES);
    expect(await create(settings)).toEqual([
      {
        name: NAME,
        result: 'failed',
        problem: expect.stringContaining('crm.objects.contacts.sensitive.write'),
      },
    ]);
  });

  it('are never taken for blank where their values are hidden', async () => {
    await create(SENSITIVE);
    const [id = ''] = await account.addContacts(people(1));
    await account.setValue(id, NAME, '7');
    const scopes = [...USUAL_SCOPES, 'crm.objects.contacts.sensitive.write.v2'];
    const settings = await withScopes(scopes);
    expect(await fieldOf(settings)).toMatchObject({ writable: false });
    expect(await account.check(settings)).toContainEqual(
      expect.objectContaining({
        message: expect.stringContaining('crm.objects.contacts.sensitive.read.v2'),
      }),
    );
    const connector = await account.connector(settings);
    await expect(connector.readByIds([id], [NAME])).rejects.toMatchObject({
      code: 'crm_scope_missing',
      message: expect.stringContaining('crm.objects.contacts.sensitive.read.v2'),
    });
    await connector.close();
  });

  it('stay what they are where they were made before', async () => {
    await create({});
    expect(await create(SENSITIVE)).toMatchObject([{ name: NAME, result: 'existed' }]);
    expect(await fieldOf(SENSITIVE)).toMatchObject({ writable: true });
    expect(await account.ask('GET', `${PROPERTIES}/${NAME}`)).toMatchObject({
      dataSensitivity: 'non_sensitive',
    });
  });

  it('are asked for by OAuth, as are more scopes by name', async () => {
    const pageOf = async (
      settings: Record<string, unknown>,
      auth: Record<string, unknown> = {},
    ) => {
      const { consent, settingsSchema } = hubspotConnector;
      const parsed = settingsSchema.parse({
        kind: 'hubspot',
        auth: { type: 'oauth', clientId: 'c', clientSecret: 's', ...auth },
        ...settings,
      });
      const request = {
        redirectUri: 'https://sync.example.org/oauth/callback',
        state: 'state',
        codeVerifier: 'v'.repeat(64),
      };
      return new URL((await consent?.begin(parsed, request)) ?? '').searchParams.get(
        'optional_scope',
      );
    };
    expect(await pageOf({})).not.toContain('sensitive');
    expect(await pageOf(SENSITIVE)).toContain('crm.objects.contacts.sensitive.read.v2');
    expect(await pageOf(SENSITIVE)).toContain('crm.objects.contacts.sensitive.write.v2');
    expect(await pageOf({})).not.toContain('crm.lists.write');
    expect(await pageOf({}, { moreScopes: ['crm.lists.write'] })).toContain('crm.lists.write');
  });

  it('name what a token of OAuth lacks for them', async () => {
    const auth = { type: 'oauth', ...(await account.install()) };
    const scopes = (await account.check({ ...SENSITIVE, auth })).filter(
      ({ subject }) => subject === 'Sensitive Data',
    );
    expect(scopes).toMatchObject([
      { message: expect.stringContaining('crm.objects.contacts.sensitive.read.v2') },
      { message: expect.stringContaining('crm.objects.contacts.sensitive.write.v2') },
    ]);
    await create(SENSITIVE);
    expect(await fieldOf({ ...SENSITIVE, auth })).toMatchObject({ writable: false });
  });
});
