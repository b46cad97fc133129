/** Links CRM users to donor-sync users. */
import { z } from 'zod';
import { crmName } from '../../../connectors/index.ts';
import { isCallReceived, recordReceivedCall } from '../../clients/statements/hooks.ts';
import { isoTime } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { describeCount } from '../../core/quantities.ts';
import {
  type CrmUser,
  fingerprintCrmUser,
  LINK_MS,
  openCrmUser,
  readLinkSecret,
  sealCrmUser,
} from '../../people/crm-user-links.ts';
import { deleteCrmUser, listCrmUsers, saveCrmUser } from '../../people/statements/crm-users.ts';
import type { Caller } from '../kit/caller.ts';
import { changing, reading, type World } from '../kit/operation.ts';

export const linkedSchema = z.object({
  id: z.string(),
  crm: z.string().describe('The name of the CRM'),
  account: z.string().describe('The ID of the CRM account'),
  user: z.string().describe("The user's ID in the CRM"),
  email: z.string().describe('As the CRM reported it'),
  linkedAt: z.iso.datetime(),
});

export type LinkedCrmUser = z.output<typeof linkedSchema>;

export const listLinkedCrmUsers = reading({
  name: 'doors links',
  summary: 'List your own links to users of CRMs',
  role: 'viewer',
  reach: 'some',
  by: 'person',
  input: z.object({}),
  subjects: [],
  result: z.object({ links: z.array(linkedSchema) }),
  async run(world) {
    const person = findPerson(world.caller);
    return { links: person === null ? [] : await readLinks(world, person) };
  },
  say: ({ links }) => describeCount(links.length, 'link'),
});

/**
 * Links a CRM user. From then on, the CRM user has the rights of the confirming user. The confirming user must have
 * proved their identity recently. A link works only once.
 */
export const linkCrmUser = changing({
  name: 'doors link',
  summary: 'Link a user of a CRM to your account',
  role: 'viewer',
  reach: 'some',
  by: 'person',
  needsProof: true,
  input: z.object({ secret: z.string().max(4_000) }),
  subjects: ['secret'],
  result: z.object({ linked: z.string() }),
  async run(world, { secret }) {
    const { trx, caller, sealer, clock } = world;
    const person = findPerson(caller);
    const user = await findLinkedUser(world, secret);
    if (person === null || user === null) throw linkInvalid();
    await recordReceivedCall(trx, usedLink(world, secret), LINK_MS);
    const id = newId(clock.now());
    const sealed = sealCrmUser(sealer, id, user);
    const fingerprint = fingerprintCrmUser(world, user);
    await saveCrmUser(trx, { id, personId: person, fingerprint, sealed }, user.kind);
    return { linked: id };
  },
  say: () => 'The CRM user was linked to your account.',
});

export const unlinkCrmUser = changing({
  name: 'doors unlink',
  summary: 'End a link between a user of a CRM and your account',
  role: 'viewer',
  reach: 'some',
  by: 'person',
  input: z.object({ link: z.string() }),
  subjects: ['link'],
  result: z.object({ unlinked: z.string() }),
  async run({ trx, caller }, { link }) {
    const person = findPerson(caller);
    if (person === null || !(await deleteCrmUser(trx, person, link))) throw linkInvalid();
    return { unlinked: link };
  },
  say: () => 'The link was ended. The card no longer shows values to this CRM user.',
});

/** Returns a user's links to CRM users, oldest first. */
export async function readLinks(
  { reader, sealer }: Pick<World, 'reader' | 'sealer'>,
  person: string,
): Promise<LinkedCrmUser[]> {
  const rows = await listCrmUsers(reader, person);
  return rows.map((row) => {
    const { kind, account, user, email } = openCrmUser(sealer, row);
    const { id, linkedAt } = row;
    return { id, crm: crmName(kind), account, user, email, linkedAt: isoTime(linkedAt) };
  });
}

export async function findLinkedUser(
  world: Pick<World, 'reader' | 'sealer' | 'clock' | 'fingerprint'>,
  secret: string,
): Promise<CrmUser | null> {
  const user = readLinkSecret(world.sealer, secret, world.clock.now());
  if (user === null) return null;
  return (await isCallReceived(world.reader, usedLink(world, secret))) ? null : user;
}

function usedLink({ fingerprint }: Pick<World, 'fingerprint'>, secret: string): string {
  return fingerprint('hook_receipt', `link\n${secret}`);
}

function findPerson({ account }: Pick<Caller, 'account'>): string | null {
  return account?.kind === 'person' ? account.id : null;
}

function linkInvalid(): ConfigurationError {
  return new ConfigurationError(
    'This link has already been used, is older than ten minutes, or is incomplete. Nothing was changed. Reload the record in the CRM, and follow the new link.',
    { code: 'door_link_invalid', refusal: 'unknown' },
  );
}
