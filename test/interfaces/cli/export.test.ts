import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hideSecrets } from '../../../src/clients/shown-settings.ts';
import { integrationSchema } from '../../../src/core/integration-settings.ts';
import { applyCommand } from '../../../src/interfaces/cli/commands/apply.ts';
import { exportCommand } from '../../../src/interfaces/cli/commands/export.ts';
import { aSettingsFile } from './a-settings-file.ts';
import { runCommand } from './run-command.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-export-'));
  await writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({}));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const ENV = { PARTNER_API_KEY: 'precious-key' };

function exportOf(id: string, env: Record<string, string> = ENV, ...options: string[]) {
  return runCommand(exportCommand, ['export', id, ...options], { cwd: folder, env });
}

/** The client's settings contain strings that look like other types of values. */
const ODD = `integrations:
  - id: 7th-street
    name: "Costs $\${NOTHING}: 5 # really"
    schedule: { cron: "0 2 * * *", timezone: America/Chicago }
    partner: { baseUrl: https://p.example, apiKey: "\${SOME_KEY}" }
    crm:
      kind: csv
      path: /lists/in.csv
      output: /lists/out.csv
      columns: { id: Id, firstName: "yes", lastName: "01", addresses: ["$\${Street}"] }
    fields:
      - { from: netWorth.label, to: "Net: worth" }
    networks:
      - { name: Board, group: { column: Key, equals: "null" } }
`;

describe('export', () => {
  it('shows a variable in place of each secret and names it on stderr', async () => {
    const { exitCode, stdout, stderr } = await exportOf('riverside');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`apiKey: \${RIVERSIDE_PARTNER_API_KEY}\n`);
    expect(stderr).toContain('RIVERSIDE_PARTNER_API_KEY');
    expect(stdout + stderr).not.toContain('precious-key');
  });

  it.each([[[]], [['--json']]])(
    'comes back the same after it was applied, with %j',
    async (options) => {
      await writeFile(join(folder, 'odd.yaml'), ODD);
      const env = { ...ENV, SOME_KEY: `se$\${cret` };
      const apply = (file: string, variables: Record<string, string>) =>
        runCommand(applyCommand, ['apply', file, '--json'], { cwd: folder, env: variables });
      await apply('odd.yaml', env);
      const first = await exportOf('7th-street', env, ...options);
      await writeFile(join(folder, 'exported.yaml'), first.stdout);
      const applied = await apply('exported.yaml', {
        ...ENV,
        _7TH_STREET_PARTNER_API_KEY: env.SOME_KEY,
      });
      expect(JSON.parse(applied.stdout).integrations).toEqual([
        { id: '7th-street', change: 'unchanged' },
      ]);
      expect((await exportOf('7th-street', env, ...options)).stdout).toBe(first.stdout);
    },
  );

  it('has a near miss for an id that is not there', async () => {
    const { exitCode, stderr } = await exportOf('riversid');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('"riverside"');
  });
});

describe('hideSecrets', () => {
  const integration = integrationSchema.parse({
    id: 'north-side',
    partner: { baseUrl: 'https://user:word@p.example', apiKey: 'one' },
    crm: {
      kind: 'hubspot',
      url: 'https://api.example',
      auth: { type: 'token', clientId: 'public', clientSecret: 'two', token: 'three' },
      credentials: { pins: [4, 'five'] },
    },
    networks: [{ name: 'Keys', group: { keyword: 'token' } }],
  });

  it('hides keys, secrets, tokens, and what is below them, but not their neighbours', () => {
    const { settings, variables } = hideSecrets(integration);
    expect(settings).toMatchObject({
      partner: {
        baseUrl: `\${NORTH_SIDE_PARTNER_BASE_URL}`,
        apiKey: `\${NORTH_SIDE_PARTNER_API_KEY}`,
      },
      crm: {
        url: 'https://api.example',
        auth: {
          type: 'token',
          clientId: 'public',
          clientSecret: `\${NORTH_SIDE_CRM_AUTH_CLIENT_SECRET}`,
          token: `\${NORTH_SIDE_CRM_AUTH_TOKEN}`,
        },
        credentials: {
          pins: [`\${NORTH_SIDE_CRM_CREDENTIALS_PINS_1}`, `\${NORTH_SIDE_CRM_CREDENTIALS_PINS_2}`],
        },
      },
      networks: [{ name: 'Keys', group: { keyword: 'token' } }],
    });
    expect(variables).toHaveLength(6);
  });

  it('gives no variable to two secrets', () => {
    const twins = { ...integration, crm: { kind: 'x', apiKey: 'one', api_key: 'other' } };
    const { variables } = hideSecrets(twins);
    expect(new Set(variables).size).toBe(variables.length);
    expect(variables).toHaveLength(4);
  });
});
