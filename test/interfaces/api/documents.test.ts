import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from '../../../src/operations/catalogue.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { RULES } from '../../operations/rules.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const documentSchema = z.object({
  openapi: z.string(),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        summary: z.string(),
        description: z.string().default(''),
        security: z.array(z.unknown()).optional(),
        parameters: z
          .array(z.object({ name: z.string(), in: z.string(), schema: z.unknown() }))
          .optional(),
        responses: z.record(z.string(), z.object({ description: z.string() })),
      }),
    ),
  ),
});

/** Returns every route in the service's API description, with its parameters filled in. */
async function describedRoutes(here: HttpWorld) {
  const document = (await here.request('/openapi.json')).read(documentSchema);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path: path
        .replace('/integrations/{id}', '/integrations/riverside')
        .replace('{integration}', 'riverside')
        .replace('{decision}', 'reject')
        .replace(/\{\w+\}/g, 'unknown'),
      isOpen: operation.security?.length === 0,
      isForAdmins: /for (admins|deciders|owners|all users and access tokens except viewers)/i.test(
        operation.description,
      ),
      isForUsers: operation.description.includes('Not with an access token.'),
      statuses: Object.keys(operation.responses).map(Number),
    })),
  );
}

describe('openapi.json', () => {
  it('names every route of the API', async () => {
    const world = await open({ isIdle: true });
    const names = (await describedRoutes(world)).map(({ name }) => name);
    expect(names.sort()).toEqual([
      'DELETE /v1/integrations/{integration}',
      'DELETE /v1/integrations/{integration}/contacts/{contact}/block',
      'DELETE /v1/integrations/{integration}/listed-contacts/{contact}',
      'DELETE /v1/integrations/{integration}/webhook',
      'DELETE /v1/tokens/{token}',
      'DELETE /v1/users/{user}',
      'DELETE /v1/users/{user}/crm-users/{link}',
      'DELETE /v1/users/{user}/passkeys/{passkey}',
      'GET /docs',
      'GET /doors/token/openapi.json',
      'GET /doors/token/{integration}/contacts/{contact}',
      'GET /healthz',
      'GET /metrics',
      'GET /oauth/{kind}/callback',
      'GET /oauth/{kind}/start',
      'GET /openapi.json',
      'GET /readyz',
      'GET /v1/address',
      'GET /v1/alerts',
      'GET /v1/answers',
      'GET /v1/approvals',
      'GET /v1/approvals/{approval}',
      'GET /v1/audit',
      'GET /v1/audit/export',
      'GET /v1/clients',
      'GET /v1/connections',
      'GET /v1/credits',
      'GET /v1/credits/bill',
      'GET /v1/credits/keys',
      'GET /v1/credits/reconciliations/{month}',
      'GET /v1/decisions',
      'GET /v1/find',
      'GET /v1/holds',
      'GET /v1/integrations',
      'GET /v1/integrations/{integration}',
      'GET /v1/integrations/{integration}/alerts',
      'GET /v1/integrations/{integration}/fields',
      'GET /v1/integrations/{integration}/fields/source',
      'GET /v1/integrations/{integration}/network',
      'GET /v1/integrations/{integration}/networks',
      'GET /v1/integrations/{integration}/schedule',
      'GET /v1/integrations/{integration}/settings',
      'GET /v1/integrations/{integration}/status',
      'GET /v1/integrations/{integration}/webhook',
      'GET /v1/mails',
      'GET /v1/results',
      'GET /v1/runs',
      'GET /v1/runs/{id}/events',
      'GET /v1/runs/{run}',
      'GET /v1/runs/{run}/contacts',
      'GET /v1/schedules',
      'GET /v1/setups',
      'GET /v1/setups/{setup}',
      'GET /v1/tokens',
      'GET /v1/users',
      'GET /v1/users/{user}/crm-users',
      'GET /v1/users/{user}/passkeys',
      'GET /v1/webhooks',
      'POST /doors/token/{integration}/contacts/{contact}/enhance',
      'POST /hooks/{integration}/{token}',
      'POST /v1/alerts/check',
      'POST /v1/alerts/test',
      'POST /v1/answers/{answer}/withdraw',
      'POST /v1/approvals/{approval}/confirm',
      'POST /v1/approvals/{approval}/refuse',
      'POST /v1/audit/verify',
      'POST /v1/clients/check',
      'POST /v1/contact-names',
      'POST /v1/doctor',
      'POST /v1/find',
      'POST /v1/holds/approve',
      'POST /v1/holds/batches/{id}/{decision}',
      'POST /v1/holds/names',
      'POST /v1/holds/reject',
      'POST /v1/holds/resubmit',
      'POST /v1/holds/{id}/{decision}',
      'POST /v1/integrations',
      'POST /v1/integrations/{integration}/alerts/test',
      'POST /v1/integrations/{integration}/contact-search',
      'POST /v1/integrations/{integration}/contacts/{contact}',
      'POST /v1/integrations/{integration}/contacts/{contact}/about',
      'POST /v1/integrations/{integration}/contacts/{contact}/block/preview',
      'POST /v1/integrations/{integration}/contacts/{contact}/forget',
      'POST /v1/integrations/{integration}/contacts/{contact}/forget/counts',
      'POST /v1/integrations/{integration}/contacts/{contact}/forget/preview',
      'POST /v1/integrations/{integration}/contacts/{contact}/paths',
      'POST /v1/integrations/{integration}/decisions/{reason}/{decision}',
      'POST /v1/integrations/{integration}/decisions/{reason}/{decision}/preview',
      'POST /v1/integrations/{integration}/disconnect',
      'POST /v1/integrations/{integration}/disconnect/preview',
      'POST /v1/integrations/{integration}/doctor',
      'POST /v1/integrations/{integration}/door-tokens',
      'POST /v1/integrations/{integration}/erase',
      'POST /v1/integrations/{integration}/erase/preview',
      'POST /v1/integrations/{integration}/export',
      'POST /v1/integrations/{integration}/fields',
      'POST /v1/integrations/{integration}/introductions',
      'POST /v1/integrations/{integration}/networks/check',
      'POST /v1/integrations/{integration}/networks/repair',
      'POST /v1/integrations/{integration}/networks/repair/preview',
      'POST /v1/integrations/{integration}/plan',
      'POST /v1/integrations/{integration}/preview',
      'POST /v1/integrations/{integration}/prospects',
      'POST /v1/integrations/{integration}/redelivery',
      'POST /v1/integrations/{integration}/redelivery/counts',
      'POST /v1/integrations/{integration}/redelivery/preview',
      'POST /v1/integrations/{integration}/runs',
      'POST /v1/integrations/{integration}/schedule/pause',
      'POST /v1/integrations/{integration}/schedule/resume',
      'POST /v1/integrations/{integration}/webhook',
      'POST /v1/integrations/{integration}/webhook/preview',
      'POST /v1/integrations/{integration}/webhook/rotate',
      'POST /v1/mails/confirm',
      'POST /v1/runs/{run}/retry',
      'POST /v1/runs/{run}/stop',
      'POST /v1/runs/{run}/undo',
      'POST /v1/runs/{run}/undo/counts',
      'POST /v1/runs/{run}/undo/preview',
      'POST /v1/tokens',
      'POST /v1/tokens/{token}/preview',
      'POST /v1/users',
      'POST /v1/users/{user}/disable',
      'POST /v1/users/{user}/enable',
      'POST /v1/users/{user}/link',
      'POST /v1/users/{user}/passkeys/{passkey}/preview',
      'POST /v1/users/{user}/preview',
      'POST /v1/users/{user}/sign-out',
      'PUT /v1/address',
      'PUT /v1/integrations/{integration}/listed-contacts/{contact}',
      'PUT /v1/mails/{kind}',
      'PUT /v1/users/{user}/role',
    ]);
  });

  it('describes the route of every operation in its own words, and its preview', async () => {
    const world = await open({ isIdle: true });
    const { paths } = (await world.request('/openapi.json')).read(documentSchema);
    for (const { name, summary } of OPERATIONS) {
      const { route = '', asks = false } = RULES[name] ?? {};
      const [method = '', pattern = ''] = route.split(' ');
      const path = pattern.replaceAll(/:(\w+)/g, '{$1}');
      expect(paths[path]?.[method.toLowerCase()]?.summary, name).toBe(summary);
      if (asks) expect(paths[`${path}/preview`]?.['post'], name).toBeDefined();
    }
  });

  it('has every number of days that a request may name', async () => {
    const world = await open({ isIdle: true });
    const { paths } = (await world.request('/openapi.json')).read(documentSchema);
    const days = paths['/v1/credits']?.['get']?.parameters?.find(({ name }) => name === 'days');
    expect(days?.schema).toMatchObject({ enum: [30, 90, 365], default: 30 });
  });

  it('lists the status of each response that its routes return', async () => {
    const world = await open({ isIdle: true });
    const token = await world.addToken('admin');
    for (const { name, method, path, statuses } of await describedRoutes(world)) {
      const { status } = await world.request(path, { method, token });
      expect(statuses, name).toContain(status);
    }
  });

  it('states correctly which routes need a token and which role they need', async () => {
    // The service has a public address, because `/metrics` would need no token on this machine.
    const publicUrl = 'https://sync.example.org';
    const world = await open({ isIdle: true, publicUrl, trustedProxies: ['127.0.0.1'] });
    const viewer = await world.addToken('viewer');
    for (const [index, route] of (await describedRoutes(world)).entries()) {
      const { name, method, path, isOpen, isForAdmins, isForUsers } = route;
      // After too many wrong tokens, an address has to wait. The test therefore requests each route from a separate
      // address.
      const headers = { 'x-forwarded-for': `192.0.2.${index}` };
      const asked = [undefined, 'dst_wrong'].map((token) =>
        world.request(path, { method, headers, ...(token === undefined ? {} : { token }) }),
      );
      const statuses = (await Promise.all(asked)).map((answer) => answer?.status);
      if (isOpen) expect(statuses, name).not.toContain(401);
      else expect(statuses, name).toEqual([401, 401]);
      const answer = await world.request(path, { method, token: viewer });
      const refusal = isForAdmins ? 'role_insufficient' : isForUsers ? 'person_needed' : null;
      expect(answer.status === 403, name).toBe(refusal !== null);
      if (refusal !== null) expect(answer.read(errorSchema).error.code, name).toBe(refusal);
    }
  });
});

describe('/docs', () => {
  it('lists every route, loads nothing from other sites, and runs no scripts', async () => {
    const world = await open({ isIdle: true });
    const { text, headers } = await world.request('/docs');
    expect(headers.get('content-type')).toContain('text/html');
    for (const { name } of await describedRoutes(world)) expect(text).toContain(name);
    expect(text).not.toMatch(/<script|<style|style=|onclick|src=|https?:\/\/(?!127)/);
    const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, href = '']) => href);
    expect(links).toContain('/docs/styles.css');
    for (const href of links) expect((await world.request(href)).status, href).toBe(200);
    const anchors = [...text.matchAll(/href="#([^"]*)"/g)].map(([, id = '']) => id);
    expect(anchors).toContain('RunPage');
    for (const id of anchors) expect(text).toContain(`id="${id}"`);
  });
});
