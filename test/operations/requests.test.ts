/**
 * Tests every operation's route. The tests check the response and the audit entry, and expect that a refused request
 * changes nothing.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from '../../src/operations/catalogue.ts';
import { listAuditEntries } from '../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from '../interfaces/api/http-world.ts';
import { join } from '../interfaces/api/people-world.ts';
import { ELSEWHERE, EXAMPLES, type Example } from './examples.ts';
import { RULES } from './rules.ts';

const open = closedAfterTest(openHttpWorld);
const previewSchema = z.object({ preview: z.object({ digest: z.string() }) });
const startedSchema = z.object({ run: z.object({ id: z.string() }) });

let world: HttpWorld;
/** The session cookie of a signed-in owner. */
let owner: string;
beforeEach(async () => {
  world = await open({
    hasOwnUrl: true,
    integration: { ...WITHOUT_TRIAL, schedule: { cron: '0 2 * * *', timezone: 'UTC' } },
    others: ['harbor'],
  });
  owner = (await join(world, 'Olga', 'owner')).cookie;
});

async function send(method: string, path: string, body?: object) {
  const json = 'application/json';
  const headers = { cookie: owner, origin: world.url, accept: json };
  const response = await fetch(
    world.url + path,
    body === undefined
      ? { method, headers }
      : {
          method,
          headers: { ...headers, 'content-type': json },
          body: JSON.stringify(body),
        },
  );
  const text = await response.text();
  return { status: response.status, read: () => JSON.parse(text) as unknown, text };
}

async function sync(): Promise<string> {
  await world.addPeople(6);
  const { status, read } = await send('POST', '/v1/integrations/riverside/runs');
  expect(status).toBe(202);
  const { id } = startedSchema.parse(read()).run;
  await world.untilEnded(id);
  return id;
}

async function asOwner(method: string, path: string, body?: object): Promise<void> {
  const { status, text } = await send(method, path, body);
  expect(status, text).toBeLessThan(300);
}

/** Returns the path of an operation's route with the IDs of the example, or with an unknown ID. */
function addressOf(name: string, { subjects = {} }: Example, isUnknown = false) {
  const [method = '', pattern = ''] = (RULES[name]?.route ?? '').split(' ');
  const names = [...pattern.matchAll(/:(\w+)/g)].map(([, part = '']) => part);
  const path = names.reduce(
    (filled, part, index) =>
      filled.replace(`:${part}`, isUnknown && index === 0 ? 'nowhere' : (subjects[part] ?? '')),
    pattern,
  );
  return { method, path, hasSubject: names.length > 0 };
}

/**
 * Sends an operation's request as its route requires. If the operation needs a confirmation, the request contains the
 * preview's digest.
 */
async function request(name: string, example: Example, isUnknown = false) {
  const { method, path } = addressOf(name, example, isUnknown);
  const { body, query } = example;
  const words = query === undefined ? [] : [query];
  if (RULES[name]?.asks) {
    const asked = await send('POST', `${path}/preview`, body);
    if (asked.status !== 200) return asked;
    words.push(`digest=${previewSchema.parse(asked.read()).preview.digest}`);
  }
  const search = words.length === 0 ? '' : `?${words.join('&')}`;
  return send(method, path + search, method === 'GET' ? undefined : body);
}

async function countAudit(): Promise<number> {
  return (await listAuditEntries(world.application.store, { limit: 500 })).length;
}

const played = OPERATIONS.filter(({ name }) => !Object.hasOwn(ELSEWHERE, name));

describe('the operations over their routes', () => {
  it('have an example each, or a test elsewhere', () => {
    const known = [...Object.keys(EXAMPLES), ...Object.keys(ELSEWHERE)];
    expect(known.sort()).toEqual(OPERATIONS.map(({ name }) => name).sort());
  });

  it.each(played.map((operation) => ({ name: operation.name, operation })))(
    '$name answers in its own shape, is recorded once, and refuses what is unknown or invalid',
    async ({ name, operation }) => {
      const example = (await EXAMPLES[name]?.({ world, sync, asOwner })) ?? {};
      const before = await countAudit();
      const { hasSubject } = addressOf(name, example);
      if (hasSubject && example.isUnknownRefused !== false) {
        const unknown = await request(name, example, true);
        expect(unknown.status, unknown.text).toBe(404);
        const { code, details = {} } = errorSchema.parse(unknown.read()).error;
        expect(code).toMatch(/_unknown$/);
        // The details tell a program which value is unknown.
        expect(Object.values(details)).toContain('nowhere');
      }
      if (example.invalid !== undefined) {
        const invalid = await request(name, { ...example, ...example.invalid });
        expect(invalid.status, invalid.text).toBe(422);
      }
      // Successful reads may be recorded, but refused requests may not.
      expect(await countAudit()).toBe(before);
      const answer = await request(name, example);
      expect([200, 201, 202], answer.text).toContain(answer.status);
      const { result } = operation;
      const shape = result instanceof z.ZodObject ? result.strict() : result;
      expect(shape.parse(answer.read())).toEqual(answer.read());
      const said = operation.say(answer.read());
      expect([said].flat().join(' ')).toMatch(/\w.*([.?!]|donor-sync [\w -]+)$/);
      const { audit, effect } = RULES[name] ?? {};
      const entries = await listAuditEntries(world.application.store, { limit: 500 });
      const recorded = entries.filter((entry) => entry.action === audit);
      if (audit === undefined) {
        expect(effect === 'changes' ? 'nothing recorded' : null).toBeNull();
        return;
      }
      expect(recorded.length).toBeGreaterThan(0);
      expect(recorded[0]).toMatchObject({ actor: { kind: 'session', name: 'Olga' } });
      expect(JSON.stringify(recorded[0]?.details)).not.toMatch(/ben@example\.org/i);
    },
  );
});
