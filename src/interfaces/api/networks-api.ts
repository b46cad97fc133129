/** GET /v1/integrations/:id/network: who in the networks can introduce which contact, from the store alone. */
import { createRoute, z } from '@hono/zod-openapi';
import { choosePaths, readPicture, WEAKEST } from '../../networks/network-picture.ts';
import type { Access } from './access.ts';
import { findIntegration } from './request/client-access.ts';
import type { HttpDeps } from './request/context.ts';
import { contactSchema, createRouter, json, problems } from './request/router.ts';

const pictureSchema = z
  .object({
    networks: z.array(z.object({ name: z.string(), members: z.int() })),
    people: z.array(
      z.object({
        donorId: z.string(),
        contacts: z.array(z.string()).openapi({ description: 'Ids in the CRM.' }),
        networks: z.array(z.string()).openapi({ description: 'That the person is in, by name.' }),
      }),
    ),
    paths: z.array(
      z.object({
        from: z.string().openapi({ description: 'Donor id of the member.' }),
        to: z.string().openapi({ description: 'Donor id of the contact.' }),
        contact: z.string(),
        strength: z.number().nullable().openapi({
          description: 'From 0 to 1; null for who knows the contact as well.',
        }),
        network: z.string(),
      }),
    ),
    total: z.int().openapi({ description: 'Contacts with a path, also those without room.' }),
  })
  .openapi('NetworkPicture');

function networkRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/integrations/{id}/network',
    tags: ['Integrations'],
    summary: 'Who in the networks can introduce which contact, the surest first',
    description: 'As the last run has computed it: the service is not asked. Ids, no names.',
    middleware: [requireRole('viewer')] as const,
    request: {
      params: z.object({ id: z.string() }),
      query: z.object({
        weakest: z.coerce.number().int().min(WEAKEST).max(100).optional(),
        network: z.string().optional(),
        who: contactSchema.optional(),
      }),
    },
    responses: {
      200: { description: 'The strongest paths.', ...json(pictureSchema) },
      ...problems.access,
      ...problems.notFound,
      ...problems.invalid,
    },
  });
}

export function networkRoutes({ application }: HttpDeps, access: Access) {
  return createRouter().openapi(networkRoute(access), async (c) => {
    const { id } = findIntegration(c, application, c.req.valid('param').id);
    const { weakest = WEAKEST, network = null, who = null } = c.req.valid('query');
    const picture = await readPicture(application.store.reader, id, who);
    return c.json({ ...picture, paths: choosePaths(picture, { weakest, network, who }) }, 200);
  });
}
