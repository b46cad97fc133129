import { describe, expect, it } from 'vitest';
import { csvConnector } from '../../connectors/csv/connector.ts';
import { findConnectorDefinition, loadBuiltInConnectors } from '../../connectors/index.ts';

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

  it('does not load paths and URLs', async () => {
    for (const kind of ['./connector.ts', '/etc/passwd', 'data:text/javascript,0', 'a/b', '']) {
      await expect(findConnectorDefinition(kind)).rejects.toMatchObject({
        code: 'connector_unknown',
        message: expect.stringContaining('not a package name'),
      });
    }
  });
});
