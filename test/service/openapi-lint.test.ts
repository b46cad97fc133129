import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld } from '../../people/world.ts';
import { readDocument } from './openapi-document.ts';
import { ask, personOf, playFaults, startPartner, submit } from './partner.ts';

/**
 * The service's document has the paths /networks/jobs/{job_id} and /networks/{network_id}/members. The rule
 * `no-ambiguous-paths` reports these paths as ambiguous, because a network could have the ID "jobs". No network has the
 * ID "jobs", because IDs have 32 hexadecimal characters.
 */
const RULES = { 'no-ambiguous-paths': 'off' } as const;

describe('openapi.json for those who generate clients', () => {
  it('passes the strictest rules of a linter without a warning', async () => {
    const { body } = await ask(await startPartner(), 'GET', '/openapi.json');
    const problems = await lintFromString({
      source: JSON.stringify(body),
      absoluteRef: 'openapi.json',
      config: await createConfig({ extends: ['recommended-strict'], rules: RULES }),
    });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('names each operation once, with a tag that is described', async () => {
    const { body } = await ask(await startPartner(), 'GET', '/openapi.json');
    const { paths, tags } = shape.parse(body);
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['getDonor', 'postEnhancements', 'patchList']));
    const used = new Set(operations.flatMap((operation) => operation.tags));
    expect([...used].toSorted()).toEqual(tags.map(({ name }) => name).toSorted());
  });

  it('shows an example of every body', async () => {
    const { body } = await ask(await startPartner(), 'GET', '/openapi.json');
    const { components, paths } = shape.parse(body);
    const without = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ requestBody, operationId }) => {
        const given = requestBody?.content['application/json']?.schema;
        if (given === undefined) return [];
        const { $ref = '' } = given;
        const schema = $ref === '' ? given : components.schemas[$ref.split('/').at(-1) ?? ''];
        const isShown =
          schema?.example !== undefined ||
          (schema?.required ?? ['?']).every(
            (name) => schema?.properties?.[name]?.example !== undefined,
          );
        return isShown ? [] : [`${operationId} ${path}`];
      }),
    );
    expect(without).toEqual([]);
  });

  it('tells true of what is null: jobs that run, that failed, and people that little is known of', async () => {
    const world = createWorld({ seed: 1, donors: 50 });
    const partner = await startPartner({ world });
    const api = readDocument((await ask(partner, 'GET', '/openapi.json')).body);
    const reply = async (method: string, path: string, documented: string, body?: unknown) => {
      const answer = await ask(partner, method, path, body);
      const operation = api.operations.find(
        (one) => one.method === method && one.path === documented,
      );
      if (operation === undefined) throw new Error(`${method} ${documented} is not documented`);
      const contentType = answer.headers.get('content-type') ?? '';
      api.check(operation, { status: answer.status, contentType, body: answer.body });
      return JSON.stringify(answer.body);
    };
    const found = await submit(partner, [personOf(world.donor(1))]);
    const failed = await submit(partner, [{ name: { first: 'Zyxw', last: 'Qqq' } }]);
    await playFaults(partner, [{ fault: { kind: 'jobsNeverEnd' } }]);
    const running = await submit(partner, [personOf(world.donor(2))]);
    await playFaults(partner, []);
    const ids = [found, failed, running].flatMap((jobs) => Object.values(jobs));
    const results = '/enhancements/results/batch';
    expect(await reply('POST', results, results, { job_ids: ids })).toMatch(
      /"result":\{.*"result":null,"match":\{.*"result":null,"match":null/,
    );
    const progress = '/enhancements/progress/batch';
    expect(await reply('POST', progress, progress, { job_ids: ids })).toContain('"pct_done":null');
    for (const id of ids) {
      const path = `/enhancements/${id}`;
      await reply('GET', `${path}/progress`, '/enhancements/{job_id}/progress');
      await reply('GET', `${path}/explanation`, '/enhancements/{job_id}/explanation');
    }
  });
});

const schemaShape = z.looseObject({
  $ref: z.string().optional(),
  example: z.unknown().optional(),
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.looseObject({ example: z.unknown().optional() })).optional(),
});

const shape = z.looseObject({
  tags: z.array(z.object({ name: z.string(), description: z.string().min(1) })),
  components: z.looseObject({ schemas: z.record(z.string(), schemaShape) }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        tags: z.array(z.string()),
        requestBody: z
          .looseObject({ content: z.record(z.string(), z.looseObject({ schema: schemaShape })) })
          .optional(),
      }),
    ),
  ),
});
