/** The edges for the settings file and for the HubSpot filter in it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { parseFilter } from '../../../connectors/hubspot/filter.ts';
import { findConnectorDefinition } from '../../../connectors/index.ts';
import { parseSettings } from '../../../src/settings/settings.ts';
import { type Edge, requireSame } from './edge.ts';

const CONFIG = join(import.meta.dirname, '../../../config');

const VARIABLES = ['PARTNER_BASE_URL', 'SMTP_URL', 'ALERTS_WEBHOOK_URL'];

const SMALL = `database: sqlite:a.db
integrations:
  - &one
    id: riverside
    partner: { baseUrl: "https://partner.example", apiKey: "\${KEY}" }
    crm: { kind: csv, path: contacts.csv, columns: { id: Id, firstName: First, lastName: Last } }
    schedule: { cron: "0 2 * * *", timezone: America/Chicago }
    budget: { perRun: 20 }
`;

/** The connectors are loaded first, because loading them takes much longer than reading the settings. */
export async function openSettingsEdge(): Promise<Edge> {
  await Promise.all(['csv', 'hubspot', 'salesforce'].map(findConnectorDefinition));
  return settingsEdge;
}

const settingsEdge: Edge = {
  name: 'settings',
  share: 20,
  examples: [readFileSync(join(CONFIG, 'donor-sync.example.yaml'), 'utf8'), SMALL],
  async read({ bytes }) {
    const settings = await parse(bytes.toString('utf8'));
    const { path: _, erasureLog: live, moreErasureLogs: [named = null] = [], ...rest } = settings;
    // The erasure log of an SQLite database is always next to the database file.
    const isNextTo = live === `${settings.database.replace('sqlite:', '')}.erasures`;
    // In the settings file, the apps of CRMs are next to the service.
    const setup = { service: settings.setup.service, ...settings.setup.apps };
    const meant = { ...rest, setup, erasureLog: isNextTo ? named : live };
    // If the parsed settings are written to a file, the file must have the same meaning.
    const again = await parse(
      stringify(meant, { aliasDuplicateObjects: false }).replaceAll('${', '$${'),
    );
    requireSame('the settings', settings, again);
  },
};

function parse(text: string) {
  const env: Record<string, string> = {};
  for (const [, name = ''] of text.matchAll(/\$\{([A-Z_]+)\}/g)) {
    if (name !== 'UNSET') env[name] = VARIABLES.includes(name) ? (URLS[name] ?? '') : 'a-value';
  }
  return parseSettings(text, {
    path: 'donor-sync.yaml',
    env,
    cwd: '/srv',
    findConnectorDefinition,
  });
}

const URLS: Readonly<Record<string, string>> = {
  PARTNER_BASE_URL: 'https://partner.example/api',
  SMTP_URL: 'smtps://anna:word@mail.example.org:465',
  ALERTS_WEBHOOK_URL: 'https://hooks.example.org/a',
};

export const filterEdge: Edge = {
  name: 'filters of HubSpot',
  share: 40,
  examples: [
    '[{propertyName: lifecyclestage, operator: EQ, value: customer}]',
    '{"filterGroups":[{"filters":[{"propertyName":"a","operator":"IN","values":["x","y"]}]}]}',
  ],
  read({ bytes }) {
    const groups = parseFilter(bytes.toString('utf8'));
    const written = JSON.stringify(groups.map((filters) => ({ filters })));
    requireSame('the filter', groups, parseFilter(written));
  },
};
