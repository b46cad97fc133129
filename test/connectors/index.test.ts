import { describe, expect, it } from 'vitest';
import { csvConnector } from '../../connectors/csv/connector.ts';
import {
  connectorOf,
  findConnectorDefinition,
  loadBuiltInConnectors,
} from '../../connectors/index.ts';

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

  it('does not load paths and URLs', async () => {
    for (const kind of ['./connector.ts', '/etc/passwd', 'data:text/javascript,0', 'a/b', '']) {
      await expect(findConnectorDefinition(kind)).rejects.toMatchObject({
        code: 'connector_unknown',
        message: expect.stringContaining('not a package name'),
      });
    }
  });
});
