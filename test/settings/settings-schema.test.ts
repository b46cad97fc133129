import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { loadBuiltInConnectors } from '../../connectors/index.ts';
import { messageOf } from '../../src/core/errors.ts';
import { editorSchema } from '../../src/settings/editor-schema.ts';
import { parseSettings } from '../../src/settings/settings.ts';
import { findAConnector } from './a-connector.ts';

function readConfig(name: string): Promise<string> {
  return readFile(new URL(`../../config/${name}`, import.meta.url), 'utf8');
}

describe('config/settings.schema.json', () => {
  it('matches the settings that the code reads', async () => {
    const committed: unknown = JSON.parse(await readConfig('settings.schema.json'));
    expect(committed, 'Run `node scripts/write-settings-schema.ts`.').toEqual(
      JSON.parse(JSON.stringify(editorSchema(await loadBuiltInConnectors()))),
    );
  });
});

describe('editorSchema', () => {
  const schema = z.fromJSONSchema(editorSchema([]));

  it('accepts the example with its variables', async () => {
    const example: unknown = parse(await readConfig('donor-sync.example.yaml'));
    expect(schema.safeParse(example).error?.issues).toBeUndefined();
  });

  it('accepts a variable where a number is due, and no other text', () => {
    const accepts = (port: unknown) =>
      schema.safeParse({ server: { port }, integrations: [SMALLEST] }).success;
    expect(accepts(80)).toBe(true);
    expect(accepts(`\${PORT}`)).toBe(true);
    expect(accepts('eighty')).toBe(false);
  });

  it('knows the settings of each kind of CRM', async () => {
    const definitions = await loadBuiltInConnectors();
    const text = JSON.stringify(editorSchema(definitions));
    for (const { kind } of definitions) expect(text).toContain(`"const":"${kind}"`);
  });
});

describe('config/donor-sync.example.yaml', () => {
  it('never has the value of a variable shown in a complaint, wherever the variable stands', async () => {
    const document = parseDocument(await readConfig('donor-sync.example.yaml'));
    const texts: string[] = [];
    visit(document, {
      Scalar(key, node) {
        if (key === 'key') return;
        const { value } = node;
        node.value = `\${PLANTED}`;
        texts.push(document.toString());
        node.value = value;
      },
    });
    const complaints = await Promise.all(texts.map(complaintOf));
    expect(complaints.filter((complaint) => complaint !== '').length).toBeGreaterThan(10);
    for (const complaint of complaints) expect(complaint).not.toContain('planted');
  });

  it('loads once its variables are set', async () => {
    const settings = await parseSettings(await readConfig('donor-sync.example.yaml'), {
      path: 'donor-sync.example.yaml',
      env: ENV,
      cwd: '/srv',
      findConnectorDefinition: findAConnector,
    });
    expect(settings.integrations.map(({ id }) => id)).toEqual(['riverside']);
  });
});

/** Returns the error in the settings, or an empty string. */
function complaintOf(text: string): Promise<string> {
  return parseSettings(text, {
    path: 'donor-sync.yaml',
    env: { ...ENV, PLANTED: 'planted' },
    cwd: '/srv',
    findConnectorDefinition: findAConnector,
  }).then(() => '', messageOf);
}

const ENV = {
  PARTNER_BASE_URL: 'https://partner.example',
  PARTNER_API_KEY: 'k',
  HUBSPOT_TOKEN: 't',
  SMTP_URL: 'smtp://mail.example',
  ALERTS_WEBHOOK_URL: 'https://hooks.example',
};

const SMALLEST = {
  id: 'one',
  partner: { baseUrl: 'https://partner.example', apiKey: 'k' },
  crm: { kind: 'other' },
};
