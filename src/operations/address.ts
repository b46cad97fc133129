/**
 * Sets the address at which users reach the server. Only owners may set the address, because links with secrets contain
 * it.
 */
import { z } from 'zod';
import { isoTime } from '../core/clock.ts';
import { describeCount } from '../core/quantities.ts';
import {
  listPasskeyHolders,
  propose,
  readAddresses,
  requireNoGivenAddress,
  requireWaysOfOwners,
  toServerAddress,
} from '../people/server-address.ts';
import { getRelyingParty } from '../people/sign-in/passkeys.ts';
import { changing, reading, type World } from './kit/operation.ts';

const holdersSchema = z
  .array(
    z.object({
      id: z.string(),
      name: z.string(),
      email: z.string(),
      passkeys: z.int().describe('The number of these passkeys'),
    }),
  )
  .describe('The users whose passkeys belong to another host name');

const proposedSchema = z.object({
  url: z.string(),
  until: z.iso.datetime().describe('When the link stops working'),
});

export const showAddress = reading({
  name: 'address show',
  summary: 'Show the address under which users reach the server',
  role: 'owner',
  reach: 'all',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: z.object({
    url: z.string(),
    from: z
      .enum(['settings', 'confirmed', 'default'])
      .describe(
        '`settings`: the settings file names it. `confirmed`: another browser confirmed it. `default`: the server can be reached only from its own computer.',
      ),
    confirmedAt: z.iso.datetime().nullable(),
    former: z
      .array(z.object({ url: z.string(), until: z.iso.datetime() }))
      .describe('Former addresses that are still accepted'),
    proposed: proposedSchema.nullable().describe('The address that waits for its confirmation'),
    hasPasskeys: z.boolean().describe('True if browsers create passkeys for the address'),
    keptPasskeys: holdersSchema.describe('The users whose passkeys belong to its host name'),
    lostPasskeys: holdersSchema,
  }),
  async run(world) {
    const { url, from, confirmedAt, former, proposed } = await readAddresses(world.reader, world);
    const until = proposed?.until ?? 0;
    const { kept, lost } = await listPasskeyHolders(world.reader, world.sealer, url);
    return {
      url,
      from,
      confirmedAt: confirmedAt === null ? null : isoTime(confirmedAt),
      former: former.map((each) => ({ url: each.url, until: isoTime(each.until) })),
      proposed:
        proposed === null || until <= world.clock.now()
          ? null
          : { url: proposed.url, until: isoTime(until) },
      hasPasskeys: getRelyingParty(url) !== null,
      keptPasskeys: kept,
      lostPasskeys: from === 'default' ? [] : lost,
    };
  },
  say({ url, from, former, proposed, lostPasskeys }) {
    return [
      {
        settings: `Users reach the server at ${url}. This address is set in the settings file.`,
        confirmed: `Users reach the server at ${url}.`,
        default: `The server can be reached only from this computer, at ${url}. Set its address: donor-sync address set URL`,
      }[from],
      ...former.map((each) => `The server also accepts ${each.url} until ${each.until}.`),
      ...(proposed === null
        ? []
        : [`${proposed.url} has to be confirmed in another browser by ${proposed.until}.`]),
      ...describeLost(lostPasskeys),
    ];
  },
});

export const setAddress = changing({
  name: 'address set',
  summary: 'Set the address under which users reach the server; another browser confirms it',
  details:
    'The response contains a link that works once, within 15 minutes. The address takes effect once someone has opened the link in another browser and confirmed the address there. The server itself does not send requests to the address. The former address is accepted for 24 more hours.',
  role: 'owner',
  reach: 'all',
  by: 'person',
  needsProof: true,
  input: z.object({
    url: z
      .string()
      .trim()
      .min(1, {
        error: 'The address is missing. Enter an address such as https://donors.example.org.',
      })
      .max(300)
      .describe('The address: the scheme https, the name and, if needed, the port'),
  }),
  subjects: [],
  arguments: ['url'],
  result: z.object({
    proposed: proposedSchema,
    link: z.string().describe('Confirms the address; open it in another browser'),
    lostPasskeys: holdersSchema,
  }),
  secret: 'link',
  async run(world, { url: typed }) {
    requireNoGivenAddress(world);
    const { server } = world.application.settings;
    const url = toServerAddress(typed, { allowsPlainHttp: server.plainHttp === 'allow' });
    await requireWaysOfOwners(world.reader, world.sealer, url, otherWays(world));
    const { lost } = await listPasskeyHolders(world.reader, world.sealer, url);
    const { account, browser = null } = world.caller;
    const proposedBy = account?.kind === 'person' ? account.id : null;
    const { link, until } = await propose(world.trx, world.sealer, { url, browser, proposedBy });
    return { proposed: { url, until: isoTime(until) }, link, lostPasskeys: lost };
  },
  say: ({ proposed: { url, until }, lostPasskeys }) => [
    `Open the link in a browser on a different computer or phone, and confirm the address there before ${until}. Then ${url} is the address of the server.`,
    'The address works only if the host name leads to the server. Set up a reverse proxy with TLS, or use `serve --host` in your network. donor-sync does not do this automatically.',
    ...describeLost(lostPasskeys),
  ],
});

/** Returns the ways to sign in that the settings allow, in addition to passkeys. */
export function otherWays({ application }: Pick<World, 'application'>) {
  const { passwords, oidc } = application.settings.server.signIn;
  return { passwords, provider: oidc !== null };
}

function describeLost(holders: readonly { name: string; passkeys: number }[]): string[] {
  if (holders.length === 0) return [];
  const list = holders.map(({ name, passkeys }) => `${name} (${passkeys})`).join(', ');
  return [
    `${describeCount(holders.length, 'user')} cannot use their passkeys there, because passkeys belong to a host name: ${list}.`,
  ];
}
