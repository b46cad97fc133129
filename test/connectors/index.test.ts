import { describe, expect, it } from 'vitest';
import { csvConnector } from '../../connectors/csv/connector.ts';
import {
  connectorOf,
  findConnectorDefinition,
  loadBuiltInConnectors,
} from '../../connectors/index.ts';

const FIELD = {
  ...{ name: 'apiKey', noun: 'the key', label: 'Key', isSecret: true, variable: 'MY_KEY' },
};

const SETUP = {
  address: { noun: 'the address', ask: 'What is the address?', label: 'Address' },
  signIns: [{ type: 'apiKey', label: 'Key', browser: 'key', fields: [FIELD] }],
  howTo: [],
  groupExample: '{ group: "Board" }',
};

const withField = (wrong: object) => ({
  ...SETUP,
  signIns: [{ ...SETUP.signIns[0], fields: [{ ...FIELD, ...wrong }] }],
});

const SIGNATURE = {
  ...{ label: 'signed by My CRM', secretNoun: 'a secret', settingsNoun: 'the secret' },
  ...{ variable: 'MY_SECRET', help: 'My CRM signs.', findSecret: () => null },
  versions: [{ header: 'x-signature', timestamp: null, sign: () => null }],
};

describe('findConnectorDefinition', () => {
  it('finds every built-in kind', async () => {
    for (const definition of await loadBuiltInConnectors()) {
      expect(await findConnectorDefinition(definition.kind)).toBe(definition);
    }
    expect(await findConnectorDefinition('csv')).toBe(csvConnector);
  });

  it('names the known kinds and what to install for an unknown one', async () => {
    await expect(findConnectorDefinition('donor-sync-nowhere')).rejects.toMatchObject({
      kind: 'configuration',
      code: 'connector_unknown',
      message: expect.stringMatching(/csv, memory.*npm install donor-sync-nowhere/),
    });
  });

  it('refuses a package that is no connector', async () => {
    await expect(findConnectorDefinition('yaml')).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringContaining('does not export a `connector`'),
    });
  });

  it('loads a package for this version of the contract', () => {
    expect(connectorOf('my-crm', { connector: csvConnector })).toBe(csvConnector);
  });

  it.each([
    ['without a version', undefined, 'a version without a number'],
    ['for an older version', 1, 'version 1'],
    ['for a newer version', 3, 'version 3'],
    ['with a version that is a text', '2', 'an unknown version'],
  ])('refuses a package %s of the contract by its name', (_, contract, words) => {
    expect(() => connectorOf('my-crm', { connector: { ...csvConnector, contract } })).toThrow(
      expect.objectContaining({
        kind: 'configuration',
        code: 'connector_contract',
        message: expect.stringMatching(new RegExp(`"my-crm" follows ${words}.*needs version 2`)),
      }),
    );
  });

  it.each([
    ['open', undefined],
    ['check', 'a text'],
    ['settingsSchema', {}],
    ['defaultFields', null],
    ['consent', { isWanted: () => true }],
  ])('refuses a package whose `%s` cannot be used, and names it', (part, value) => {
    const connector = { ...csvConnector, [part]: value };
    expect(() => connectorOf('my-crm', { connector })).toThrow(
      expect.objectContaining({
        kind: 'configuration',
        code: 'connector_incomplete',
        details: { package: 'my-crm', parts: [part] },
      }),
    );
  });

  it.each([
    ['about.name', { name: undefined }],
    ['about.kind', { kind: 'another' }],
    ['about.setup.signIns.0.fields.0.isSecret', { setup: withField({ isSecret: 'no' }) }],
    ['about.setup.signIns.0.fields.0.variable', { setup: withField({ variable: 'my key' }) }],
    ['about.setup.signIns', { setup: { ...SETUP, signIns: [] } }],
    ['about.webhooks.readEvent', { webhooks: { readEvent: 'a text' } }],
    [
      'about.webhooks.signature.versions',
      { webhooks: { signature: { ...SIGNATURE, versions: [] } } },
    ],
    [
      'about.webhooks.signature.findSecret',
      { webhooks: { signature: { ...SIGNATURE, findSecret: null } } },
    ],
  ])('refuses a package by the part %s of what it says about its CRM', (part, wrong) => {
    const about = { kind: 'csv', name: 'My CRM', setup: SETUP, ...wrong };
    const loading = () => connectorOf('my-crm', { connector: { ...csvConnector, about } });
    expect(loading).toThrow(
      expect.objectContaining({
        kind: 'configuration',
        code: 'connector_incomplete',
        message: expect.stringContaining(part),
        details: { package: 'my-crm', parts: expect.arrayContaining([part]) },
      }),
    );
  });

  it('accepts what the built-in connectors say about their CRMs', async () => {
    for (const definition of await loadBuiltInConnectors()) {
      expect(connectorOf(definition.kind, { connector: definition })).toBe(definition);
    }
  });

  it('does not load paths and URLs', async () => {
    for (const kind of ['./connector.ts', '/etc/passwd', 'data:text/javascript,0', 'a/b', '']) {
      await expect(findConnectorDefinition(kind)).rejects.toMatchObject({
        code: 'connector_unknown',
        message: expect.stringContaining('not a package name'),
      });
    }
  });
});
