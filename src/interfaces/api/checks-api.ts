/** What is asked of a CRM and of the service to see whether all is in order: the fields, and the doctor. */
import { createRoute, z } from '@hono/zod-openapi';
import type { Integration } from '../../core/integration-settings.ts';
import { readFieldLines } from '../../fields/field-check.ts';
import { countCauses, type DoctorFinding, shownFinding } from '../../operations/doctor/causes.ts';
import { examineIntegration } from '../../operations/doctor/examine.ts';
import type { Access } from './access.ts';
import { findIntegration } from './request/client-access.ts';
import { type HttpDeps, liveDeps } from './request/context.ts';
import { createRouter, json, problems } from './request/router.ts';

/** How long each check may take; less than an answer may. */
export const CHECK_LIMIT_MS = 20_000;

/** The findings of the doctor about one integration: nothing is spent, nothing is written. */
export function examine(
  { application, stopping }: Pick<HttpDeps, 'application' | 'stopping'>,
  integration: Integration,
): Promise<DoctorFinding[]> {
  return examineIntegration(application, integration, {
    signal: stopping,
    limitMs: CHECK_LIMIT_MS,
  });
}

const fieldSchema = z.object({
  from: z.string(),
  to: z.string(),
  when: z.string(),
  label: z.string().nullable(),
  type: z.string().nullable(),
  writable: z.boolean().nullable(),
  problem: z
    .object({ kind: z.string(), message: z.string(), fix: z.string(), optional: z.boolean() })
    .nullable(),
  createdBySync: z.boolean(),
  writtenAt: z.iso.datetime().nullable(),
  filled: z.object({ of: z.int(), count: z.int() }).nullable(),
});

const findingSchema = z.object({
  integration: z.string().nullable(),
  subject: z.string(),
  ok: z.boolean(),
  message: z.string(),
  fix: z.string().nullable(),
  command: z.string().nullable(),
  cause: z.string().nullable(),
});

const params = z.object({ id: z.string() });

function fieldsRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/integrations/{id}/fields',
    tags: ['Checks'],
    summary: 'Show the field map line by line, as the CRM describes its fields',
    description: 'For admins. Asks the CRM.',
    middleware: [requireRole('admin')] as const,
    request: { params },
    responses: {
      200: { description: 'The lines.', ...json(z.object({ fields: z.array(fieldSchema) })) },
      ...problems.access,
      ...problems.notFound,
      ...problems.invalid,
    },
  });
}

function doctorRoute({ requireRole }: Access) {
  return createRoute({
    method: 'post',
    path: '/v1/integrations/{id}/doctor',
    tags: ['Checks'],
    summary: 'Check every prerequisite of an integration',
    description:
      'For admins. Asks the service and the CRM, at most 20 seconds each; spends nothing and writes nothing.',
    middleware: [requireRole('admin')] as const,
    request: { params },
    responses: {
      200: {
        description: 'The findings, and how many things there are to fix.',
        ...json(z.object({ findings: z.array(findingSchema), causes: z.int() })),
      },
      ...problems.access,
      ...problems.notFound,
    },
  });
}

/** The routes of checks. */
export function checkRoutes(deps: HttpDeps, access: Access) {
  const { application } = deps;
  return createRouter()
    .openapi(fieldsRoute(access), async (c) => {
      const integration = findIntegration(c, application, c.req.valid('param').id);
      const fields = await readFieldLines(liveDeps(deps, c.get('actor')), integration);
      return c.json({ fields }, 200);
    })
    .openapi(doctorRoute(access), async (c) => {
      const integration = findIntegration(c, application, c.req.valid('param').id);
      const findings = await examine(deps, integration);
      return c.json({ findings: findings.map(shownFinding), causes: countCauses(findings) }, 200);
    });
}
