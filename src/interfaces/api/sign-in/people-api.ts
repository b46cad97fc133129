/** /v1/people: who signs in, and what each may do; the twin of the page and of `donor-sync people`. */
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ROLES } from '../../../core/role.ts';
import {
  changeRights,
  disablePerson,
  emailSchema,
  invitationPath,
  invitePerson,
  listPeople,
  type PeopleDeps,
  passkeyUnknown,
  personNameSchema,
  personUnknown,
  removeLostPasskey,
  removePerson,
} from '../../../people/user-accounts.ts';
import type { Access } from '../access.ts';
import { allClientsOnly, findIntegration } from '../request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../request/context.ts';
import { HttpError } from '../request/errors.ts';
import { limitBody, MAX_API_BODY_BYTES, requireJsonBody } from '../request/guards.ts';
import { createRouter, failure, json, problems } from '../request/router.ts';
import { publicAddress } from '../webhooks/hook-address.ts';

const accessSchema = z
  .array(z.string())
  .min(1)
  .nullable()
  .openapi({ description: 'The ids of the integrations within reach; null for all.' });

const passkeySchema = z
  .object({
    id: z.string(),
    name: z.string().openapi({ description: 'What the person calls it.' }),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .openapi('Passkey');

const personSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    role: z.enum(ROLES),
    integrations: accessSchema,
    status: z.enum(['active', 'invited', 'expired', 'disabled']),
    joinedAt: z.iso.datetime().nullable(),
    seenAt: z.iso.datetime().nullable(),
    signsInBy: z.object({
      password: z.boolean(),
      provider: z
        .boolean()
        .openapi({ description: 'The person has come by the identity provider.' }),
      passkeys: z.array(passkeySchema),
    }),
  })
  .openapi('Person');

const rightsShape = { role: z.enum(ROLES), integrations: accessSchema.default(null) };

const inviteSchema = z
  .strictObject({ name: personNameSchema, email: emailSchema, ...rightsShape })
  .openapi('Invitation');

const changeSchema = z
  .strictObject({
    role: z.enum(ROLES).optional(),
    integrations: accessSchema.optional(),
    disabled: z.boolean().optional(),
  })
  .openapi('PersonChange');

const id = z.object({ id: z.string() });
const body = [requireJsonBody, limitBody(MAX_API_BODY_BYTES)] as const;
const common = { tags: ['People'], description: 'For owners.' };
const refusals = { ...problems.access, ...problems.invalid };
const bodyRefusals = { ...problems.body, 415: failure('The body is not JSON.') };

function routes({ requireRole }: Access) {
  const owner = [requireRole('owner'), allClientsOnly] as const;
  return {
    list: createRoute({
      ...common,
      method: 'get',
      path: '/v1/people',
      summary: 'List the people who sign in',
      middleware: [...owner] as const,
      responses: {
        200: { description: 'All of them.', ...json(z.object({ people: z.array(personSchema) })) },
        ...problems.access,
      },
    }),
    invite: createRoute({
      ...common,
      method: 'post',
      path: '/v1/people',
      summary: 'Invite a person',
      middleware: [...owner, ...body] as const,
      request: { body: { required: true, ...json(inviteSchema) } },
      responses: {
        201: {
          description: 'Invited. The link is shown here and never again.',
          ...json(z.object({ person: personSchema, link: z.string() })),
        },
        ...refusals,
        ...bodyRefusals,
      },
    }),
    change: createRoute({
      ...common,
      method: 'patch',
      path: '/v1/people/{id}',
      summary: 'Change what a person may do',
      middleware: [...owner, ...body] as const,
      request: { params: id, body: { required: true, ...json(changeSchema) } },
      responses: {
        200: { description: 'Changed.', ...json(z.object({ person: personSchema })) },
        ...refusals,
        ...problems.notFound,
        ...bodyRefusals,
      },
    }),
    remove: createRoute({
      ...common,
      method: 'delete',
      path: '/v1/people/{id}',
      summary: 'Take a person out',
      middleware: [...owner] as const,
      request: { params: id },
      responses: {
        200: { description: 'Taken out.', ...json(z.object({ removed: z.string() })) },
        ...refusals,
        ...problems.notFound,
      },
    }),
    removePasskey: createRoute({
      ...common,
      method: 'delete',
      path: '/v1/people/{id}/passkeys/{passkey}',
      summary: 'Remove a passkey of a person, who lost the device for example',
      middleware: [...owner] as const,
      request: { params: id.extend({ passkey: z.string() }) },
      responses: {
        200: {
          description: 'Removed, and the person is signed out everywhere.',
          ...json(z.object({ person: personSchema })),
        },
        ...refusals,
        ...problems.notFound,
      },
    }),
  };
}

/** The routes of people. */
export function peopleApiRoutes({ application, clock, publicUrl }: HttpDeps, access: Access) {
  const { list, invite, change, remove, removePasskey } = routes(access);
  return createRouter()
    .openapi(list, async (c) => c.json({ people: await listPeople(people(c)) }, 200))
    .openapi(invite, async (c) => {
      const asked = c.req.valid('json');
      for (const one of asked.integrations ?? []) findIntegration(c, application, one);
      const invited = await invitePerson(people(c), asked);
      const link = publicAddress(publicUrl, invitationPath(invited));
      return c.json({ person: await find(c, invited.id), link }, 201);
    })
    .openapi(change, async (c) => {
      const person = await find(c, c.req.valid('param').id);
      const { disabled, ...rights } = c.req.valid('json');
      for (const one of rights.integrations ?? []) findIntegration(c, application, one);
      if (rights.role !== undefined || rights.integrations !== undefined) {
        const { role = person.role, integrations = person.integrations } = rights;
        await changeRights(people(c), person.id, { role, integrations });
      }
      if (disabled !== undefined) await disablePerson(people(c), person.id, disabled);
      return c.json({ person: await find(c, person.id) }, 200);
    })
    .openapi(remove, async (c) => {
      const { id: removed } = await find(c, c.req.valid('param').id);
      await removePerson(people(c), removed);
      return c.json({ removed }, 200);
    })
    .openapi(removePasskey, async (c) => {
      const { id: personId, passkey } = c.req.valid('param');
      const { signsInBy } = await find(c, personId);
      if (!signsInBy.passkeys.some((one) => one.id === passkey)) {
        const { code, message } = passkeyUnknown(passkey);
        throw new HttpError(404, code, message);
      }
      await removeLostPasskey(people(c), personId, passkey);
      return c.json({ person: await find(c, personId) }, 200);
    });

  function people(c: Context<HttpEnv>): PeopleDeps {
    const store = application.store.actingAs(c.get('actor'));
    return { store, sealer: application.sealer, clock };
  }

  async function find(c: Context<HttpEnv>, typed: string) {
    const person = (await listPeople(people(c))).find((one) => one.id === typed);
    if (person) return person;
    const { code, message } = personUnknown(typed);
    throw new HttpError(404, code, message);
  }
}
