/** Checks that each connector's description of its CRM agrees with the connector, its stand-in and its documents. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  crmName,
  findConnectorDefinition,
  findRemoteCrm,
  loadBuiltInConnectors,
  REMOTE_CRMS,
} from '../../connectors/index.ts';
import { CRM_STAND_INS } from '../../sandbox/stand-ins.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the facts about each kind of CRM', () => {
  it('belong to a connector of the same kind, which is registered once', async () => {
    const kinds = (await loadBuiltInConnectors()).map(({ kind }) => kind);
    expect(new Set(kinds).size).toBe(kinds.length);
    for (const kind of kinds) {
      const definition = await findConnectorDefinition(kind);
      expect([definition.kind, definition.about?.kind]).toEqual([kind, kind]);
      expect(crmName(kind)).not.toBe(kind);
    }
    expect(crmName('my-crm')).toBe('my-crm');
    expect(findRemoteCrm('csv')).toBeUndefined();
    expect(findRemoteCrm(['salesforce'])).toBeUndefined();
  });

  it.each(REMOTE_CRMS)('load no client of the CRM: $kind', ({ kind }) => {
    const text = readFileSync(join(ROOT, `connectors/${kind}/about.ts`), 'utf8');
    const imported = [...text.matchAll(/from '([^']+)'/g)].map(([, path]) => path);
    const allowed = ['../about.ts', './webhooks.ts', './door.ts'];
    expect(imported.filter((path) => !allowed.includes(path ?? ''))).toEqual([]);
  });
});

describe.each(REMOTE_CRMS)('the set-up of $name', ({ kind, setup }) => {
  const { address, signIns, findAddressProblem } = setup;
  const url = address.usual ?? 'https://crm.example.org';

  it('asks for the settings that the connector reads, whichever way the user signs in', async () => {
    const { settingsSchema } = await findConnectorDefinition(kind);
    expect(signIns.length).toBeGreaterThan(0);
    for (const { type, fields } of signIns) {
      const withValues = (some: typeof fields) => ({
        kind,
        url,
        auth: { type, ...Object.fromEntries(some.map(({ name }) => [name, 'a-value'])) },
      });
      const needed = fields.filter(({ isOptional }) => isOptional !== true);
      for (const settings of [withValues(fields), withValues(needed)]) {
        expect(settingsSchema.safeParse(settings).error?.issues).toBeUndefined();
      }
    }
  });

  it('offers a consent exactly if the connector has one', async () => {
    const { consent, settingsSchema } = await findConnectorDefinition(kind);
    for (const { type, fields, isConsent = false, browser } of signIns) {
      const auth = { type, ...Object.fromEntries(fields.map(({ name }) => [name, 'a-value'])) };
      const settings = settingsSchema.parse({ kind, url, auth });
      expect(consent?.isWanted(settings) ?? false).toBe(isConsent);
      if (isConsent || browser === 'app') {
        expect(fields.map(({ name }) => name)).toEqual(['clientId', 'clientSecret']);
      }
    }
  });

  it('offers a way to sign in in a browser and in the terminal, and keeps its secrets out of pages', () => {
    expect(signIns.some(({ browser }) => browser !== undefined)).toBe(true);
    expect(signIns.some(({ isConsent = false }) => !isConsent)).toBe(true);
    expect(signIns.filter(({ browser }) => browser === 'key').length).toBeLessThanOrEqual(1);
    for (const { name, isSecret, variable } of signIns.flatMap(({ fields }) => fields)) {
      if (/secret|token|key|password/i.test(name)) expect(isSecret, name).toBe(true);
      expect(variable).toMatch(/^[A-Z][A-Z0-9_]*$/);
    }
  });

  it('proposes an address only where each way that it offers can use it', () => {
    if (address.isForAll) expect(address.usual).toBeDefined();
    for (const { type, needsOwnAddress = false } of signIns) {
      const problem = address.usual ? (findAddressProblem?.(type, address.usual) ?? null) : null;
      expect(problem === null).toBe(!needsOwnAddress);
    }
  });

  it('shows an example of a group that the connector reads', async () => {
    const { groupSchema } = await findConnectorDefinition(kind);
    expect(groupSchema.safeParse(parse(setup.groupExample)).success).toBe(true);
  });

  it('has a stand-in, a default field map and guides', async () => {
    expect(CRM_STAND_INS.filter((standIn) => standIn.kind === kind)).toHaveLength(1);
    const map: unknown = JSON.parse(readFileSync(join(ROOT, `config/fields.${kind}.json`), 'utf8'));
    const { defaultFields } = await findConnectorDefinition(kind);
    expect(map).toHaveLength(defaultFields.length);
    for (const document of [
      `connectors/${kind}/README.md`,
      `docs/guides/getting-started-${kind}.md`,
    ]) {
      expect(existsSync(join(ROOT, document)), document).toBe(true);
    }
  });
});
