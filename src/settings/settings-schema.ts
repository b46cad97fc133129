import { z } from 'zod';
import { cronProblem, timezoneProblem } from '../clients/schedules/cron.ts';
import { alertsSchema } from '../core/alert-settings.ts';
import { hostSchema, parseAddressRange } from '../core/host.ts';
import { integrationSchema, scheduleSchema } from '../core/integration-settings.ts';

const trustedProxySchema = z
  .string()
  .superRefine(
    reportAs((text) =>
      parseAddressRange(text) === null
        ? 'expected an IP address or a range of them, for example "127.0.0.1" or "10.0.0.0/8"'
        : null,
    ),
  );

const DEFAULT_PORT = 8787;

/** How this machine itself reaches the service; of a port that is not known yet, the default one. */
export function ownUrl(port: number): string {
  return `http://127.0.0.1:${port === 0 ? DEFAULT_PORT : port}`;
}

/** How users sign in. */
const signInSchema = z.strictObject({
  /** Whether a password lets users in; if not, only passkeys and the provider do, and links that an owner made. */
  passwords: z.boolean().default(true),
  /** An OpenID Connect provider: who was invited may sign in by it. */
  oidc: z
    .strictObject({
      issuer: z.url({ protocol: /^https?$/ }),
      clientId: z.string().trim().min(1),
      clientSecret: z.string().trim().min(1),
      /** What the button says; by default the issuer's host. */
      name: z.string().trim().min(1).max(60).optional(),
      /** Only e-mail addresses of these domains. */
      allowedDomains: z.array(z.string().trim().toLowerCase().min(1)).min(1).max(100).optional(),
    })
    .nullable()
    .default(null),
});

/** Where `serve` listens, and how the world reaches it. */
export const serverSchema = z
  .strictObject({
    host: z.string().trim().min(1).default('127.0.0.1'),
    /** 0 takes any free port. */
    port: z.int().min(0).max(65_535).default(DEFAULT_PORT),
    /** The address that webhooks and sign-ins come back to; by default this machine at that port. */
    publicUrl: z.url({ protocol: /^https?$/ }).optional(),
    /** How many integrations are synced at the same time; the others wait for their turn. */
    maxRunsAtOnce: z.int().min(1).max(100).default(4),
    /** The proxies that are believed about the address of a caller: IP addresses, or ranges of them. */
    trustedProxies: z.array(trustedProxySchema).max(100).default([]),
    /** Whether users may sign in where others on the network could read the password on its way. */
    plainHttp: z.enum(['refuse', 'allow']).default('refuse'),
    signIn: signInSchema.prefault({}),
  })
  .transform((server) => ({
    ...server,
    publicUrl: server.publicUrl ?? ownUrl(server.port),
  }));

const databaseSchema = z.string().regex(/^(sqlite:(?!\/\/[^/]).+|postgres(ql)?:\/\/.+)$/, {
  error: 'expected "sqlite:" and a file, or a URL that starts with "postgres://"',
});

/** A schedule whose cron line and time zone mean something. */
const checkedScheduleSchema = scheduleSchema.extend({
  cron: scheduleSchema.shape.cron.superRefine(reportAs(cronProblem)),
  timezone: scheduleSchema.shape.timezone
    .unwrap()
    .superRefine(reportAs(timezoneProblem))
    .default('UTC'),
});

/** For how many days what happened is kept; money and ownership are not among it. */
const retentionSchema = z.strictObject({
  /** What each run did to contacts, one row a contact. */
  runRows: z.int().min(1).max(3650).default(90),
  /** Decisions about holds, and which contact a run was for; null for good. */
  outcomes: z.int().min(30).max(3650).nullable().default(null),
  /** What stood in fields before they were written; after that no run can be undone. */
  previousValues: z.int().min(7).max(3650).nullable().default(null),
  /** Profiles that were paid for; null until they are too old to be delivered, 0 keeps none. */
  profiles: z.int().min(0).max(3650).nullable().default(null),
  /** What is known of contacts that left the CRM, but for what was paid and what is ours. */
  removedContacts: z.int().min(1).max(3650).nullable().default(null),
  /** Who did what. */
  audit: z.int().min(30).max(3650).nullable().default(null),
});

/** What waits for a second person. */
const twoPeopleSchema = z.strictObject({
  /** To approve, or to ask the service again about, more contacts than this at once; null: nothing waits. */
  approvals: z.int().min(1).nullable().default(null),
  /** To undo a run that wrote into more contacts than this; null: nothing waits. */
  undo: z.int().min(0).nullable().default(null),
  /** To forget a contact in the integrations of other accounts as well. */
  forgetEverywhere: z.boolean().default(false),
});

/** An app of a CRM that users let in: what its administrator was given. */
const appSchema = z.strictObject({
  clientId: z.string().trim().min(1),
  /** Left out by public clients of Salesforce. */
  clientSecret: z.string().trim().min(1).optional(),
  /** The address at which users sign in; by default that of the CRM itself. */
  url: z.url({ protocol: /^https?$/ }).optional(),
});

/** What the set-up in a browser need not ask for. */
const setupSchema = z.strictObject({
  /** The base URL of the Partner Data Service. */
  service: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
  salesforce: appSchema.nullable().default(null),
  hubspot: appSchema.nullable().default(null),
});

/** The whole settings file: design, section 4.2. */
export const settingsSchema = z.strictObject({
  server: serverSchema.prefault({}),
  setup: setupSchema.prefault({}),
  alerts: alertsSchema.prefault({}),
  retention: retentionSchema.prefault({}),
  twoPeople: twoPeopleSchema.prefault({}),
  database: databaseSchema.default('sqlite:data/donor-sync.db'),
  /** A further file outside of the database that notes erasures; on Postgres, instead of the one next to this file. */
  erasureLog: z.string().trim().min(1).nullable().default(null),
  /** Hosts to which keys and tokens may go over plain http, although others could read them. */
  allowInsecureHttp: z.array(hostSchema).default([]),
  /** May be empty where all integrations live in the database (`donor-sync apply`). */
  integrations: z.array(
    integrationSchema.extend({ schedule: checkedScheduleSchema.nullable().default(null) }),
  ),
});

function reportAs(findProblem: (text: string) => string | null) {
  return function check(text: string, context: z.RefinementCtx): void {
    const message = findProblem(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  };
}

export type SetupSettings = z.infer<typeof setupSchema>;
