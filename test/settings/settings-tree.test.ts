import { describe, expect, it } from 'vitest';
import hubspotFields from '../../config/fields.hubspot.json' with { type: 'json' };
import { parseSettings } from '../../src/settings/settings.ts';
import { readSettingsTree } from '../../src/settings/settings-tree.ts';
import { leastCpuTimeMs, startCpuTime } from '../helpers/cpu-time.ts';
import { findAConnector } from './a-connector.ts';

const MANY = 200_000;

/**
 * The limit for work that takes a few milliseconds. Without the product's checks, the parser takes minutes or
 * crashes.
 */
const LIMIT_MS = 1_000;

/** Returns the problems in the settings, and the time that the search for them took. */
function read(text: string) {
  const tookMs = startCpuTime();
  const { problems, readable } = readSettingsTree(text, {});
  return { problems, readable, tookMs: tookMs() };
}

describe('a malicious settings file', () => {
  it.each([
    ['brackets', 'a:\n  '.concat('['.repeat(MANY)), 2],
    ['brackets that are closed', '['.repeat(MANY) + ']'.repeat(MANY), 1],
    ['braces', '{'.repeat(MANY), 1],
    ['maps in each other', '{a: '.repeat(MANY), 1],
    ['lists in each other', '- '.repeat(MANY), 1],
    ['keys that are maps', '? '.repeat(MANY), 1],
    [
      'steps to the right',
      Array.from({ length: 600 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
      41,
    ],
  ])('is refused for its %s within a second, with the line', (_, text, line) => {
    const { problems, readable, tookMs } = read(text);
    expect(readable).toBe(false);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain('nested more than 40 levels deep');
    expect(Math.abs((problems[0]?.position.line ?? 0) - line)).toBeLessThan(5);
    expect(tookMs).toBeLessThan(LIMIT_MS);
  });

  it.each([30, 39])('is refused for %i keys within keys, however little text they are', (depth) => {
    const { problems, readable, tookMs } = read(`a: 1\n${'? '.repeat(depth)}b: 1\n`);
    expect(readable).toBe(true);
    expect(problems).toEqual([
      {
        ...{ path: [], position: { line: 2, column: 3 } },
        message: 'a key is a text; this one is a group or a list',
      },
    ]);
    expect(tookMs).toBeLessThan(LIMIT_MS);
  });

  it('is refused because of its size before it is parsed', () => {
    const { problems, tookMs } = read(`a: "${'x'.repeat(8_000_000)}"`);
    expect(problems[0]?.message).toContain('more than 8,000,000 characters');
    expect(tookMs).toBeLessThan(LIMIT_MS);
  });

  it('is refused if its aliases expand to too many settings', () => {
    const steps = Array.from({ length: 30 }, (_, at) => `a${at}: &a${at + 1} [*a${at}, *a${at}]\n`);
    const { problems } = read(`a: &a0 [1, 1]\n${steps.join('')}`);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain('too large');
  });

  it('takes as long as it is large, whatever it repeats', async () => {
    const aliases = `a: &a { x: 1 }\nb:\n${'  - { <<: *a }\n'.repeat(5_000)}`;
    const doubles = 'a: 1\n'.repeat(20_000);
    const quotes = '"'.repeat(50_000);
    for (const text of [aliases, doubles, quotes]) {
      const tookMs = await leastCpuTimeMs(2 * LIMIT_MS, async () => read(text));
      expect(tookMs, text.slice(0, 20)).toBeLessThan(2 * LIMIT_MS);
    }
  });
});

describe('8,000 integrations in one file', () => {
  it('are read, each with settings of its own, and take as long as they are many', async () => {
    const one = (at: number) => `  - id: client-${at}
    name: "Nonprofit ${at}"
    schedule: { cron: "0 2 * * *", timezone: America/Chicago }
    partner: { baseUrl: "https://partner.example", apiKey: "\${KEY}" }
    crm:
      kind: hubspot
      url: https://api.example
      auth: { type: token, token: "\${KEY}" }
    contacts: { optOutField: no_research }
    budget: { perRun: 100, perMonth: 1000 }
`;
    await expectLinearTime(async (count) => {
      const list = Array.from({ length: count }, (_, at) => one(at)).join('');
      const { integrations } = await parseSettings(`integrations:\n${list}`, {
        path: 'donor-sync.yaml',
        env: { KEY: 'key' },
        cwd: '/',
        findConnectorDefinition: findAConnector,
      });
      expect(integrations).toHaveLength(count);
    });
  });
});

describe('a field map that 10,000 integrations share by an alias', () => {
  it('is read', () => {
    const map = hubspotFields.map((field) => `      - ${JSON.stringify(field)}\n`).join('');
    const one = '  - id: client\n    fields: *map\n';
    const text = `integrations:\n  - id: first\n    fields: &map\n${map}${one.repeat(10_000)}`;
    const { problems, readable } = read(text);
    expect(problems).toEqual([]);
    expect(readable).toBe(true);
  });
});

describe('8,000 integrations that share settings', () => {
  it('are read, with what they share, and take as long as they are many', async () => {
    const one = (at: number) =>
      `  - <<: *shared\n    id: client-${at}\n    name: "\${CLIENT}"\n    networks: [{ name: Board, group: { list: "${at}" } }]\n`;
    await expectLinearTime(async (count) => {
      const text = `integrations:
  - &shared
    id: client-x
    partner: { baseUrl: "https://partner.example", apiKey: "\${KEY}" }
    crm: { kind: hubspot, url: "https://api.example", auth: { type: token, token: "\${KEY}" } }
    budget: { perRun: 100, perMonth: 1000, keep: 10 }
${Array.from({ length: count }, (_, at) => one(at)).join('')}`;
      const { integrations } = await parseSettings(text, {
        path: 'donor-sync.yaml',
        env: { KEY: 'key', CLIENT: 'A client' },
        cwd: '/',
        findConnectorDefinition: findAConnector,
      });
      expect(integrations).toHaveLength(count + 1);
      expect(integrations[count]).toMatchObject({ id: `client-${count - 1}`, name: 'A client' });
    });
  });
});

/**
 * Expects that reading eight times as many clients takes at most 24 times as long. The limit is high because other
 * work on the machine can slow down the reading. Quadratic growth would take 64 times as long.
 */
async function expectLinearTime(read: (count: number) => Promise<void>): Promise<void> {
  await read(100);
  const fewMs = startCpuTime();
  await read(1_000);
  const mostMs = 24 * fewMs();
  const manyMs = startCpuTime();
  await read(8_000);
  expect(manyMs()).toBeLessThan(mostMs);
}
