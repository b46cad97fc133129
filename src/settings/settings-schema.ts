import { z } from 'zod';
import { REMOTE_CRMS } from '../../connectors/index.ts';
import { cronProblem, timezoneProblem } from '../clients/schedules/cron.ts';
import { alertsSchema } from '../core/alert-settings.ts';
import { creditPricesSchema } from '../core/credit-price.ts';
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

/**
 * Returns the address at which this machine reaches its own server. If the port is not known yet, uses the default
 * port.
 */
export function ownUrl(port: number): string {
  return `http://127.0.0.1:${port === 0 ? DEFAULT_PORT : port}`;
}

/** True if the settings do not contain the server's address. An owner then sets the address on the pages. */
export function hasOwnUrl({ publicUrl, port }: { publicUrl: string; port: number }): boolean {
  return publicUrl === ownUrl(port);
}

const signInSchema = z.strictObject({
  /**
   * True if users can sign in with a password. If false, users need a passkey, the provider, or a link from an owner.
   */
  passwords: z.boolean().default(true),
  /** An OpenID Connect provider through which invited users can sign in. */
  oidc: z
    .strictObject({
      issuer: z.url({ protocol: /^https?$/ }),
      clientId: z.string().trim().min(1),
      clientSecret: z.string().trim().min(1),
      /** The label of the sign-in button. Defaults to the issuer's host. */
      name: z.string().trim().min(1).max(60).optional(),
      /** Restricts sign-in to email addresses of these domains. */
      allowedDomains: z.array(z.string().trim().toLowerCase().min(1)).min(1).max(100).optional(),
    })
    .nullable()
    .default(null),
});

/** The address at which `serve` listens, and the public address of the server. */
export const serverSchema = z
  .strictObject({
    host: z.string().trim().min(1).default('127.0.0.1'),
    /** The port on which `serve` listens. 0 uses any free port. */
    port: z.int().min(0).max(65_535).default(DEFAULT_PORT),
    /** The public address, for webhooks and for the return from a sign-in. Defaults to this machine at this port. */
    publicUrl: z.url({ protocol: /^https?$/ }).optional(),
    /** The number of integrations that are synced at the same time. All other integrations wait. */
    maxRunsAtOnce: z.int().min(1).max(100).default(4),
    /** The trusted proxies, as IP addresses or ranges. donor-sync believes the caller's address that they report. */
    trustedProxies: z.array(trustedProxySchema).max(100).default([]),
    /**
     * The addresses from which users can use the pages and the API, as IP addresses or ranges. Callers from all other
     * addresses can use only webhooks, doors and health checks. If null, there is no restriction.
     */
    pagesFrom: z.array(trustedProxySchema).max(100).nullable().default(null),
    /** Whether users can sign in over plain HTTP, although others in the network could read the password. */
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

/** A schedule. The schema checks the schedule's cron line and time zone. */
const checkedScheduleSchema = scheduleSchema.extend({
  cron: scheduleSchema.shape.cron.superRefine(reportAs(cronProblem)),
  timezone: scheduleSchema.shape.timezone
    .unwrap()
    .superRefine(reportAs(timezoneProblem))
    .default('UTC'),
});

/** The number of days for which donor-sync keeps past records. Data about money and ownership is always kept. */
const retentionSchema = z.strictObject({
  runRows: z.int().min(1).max(3650).default(90),
  /** Answered decisions, and the contacts of each run. If null, decisions and contacts of runs are kept permanently. */
  outcomes: z.int().min(30).max(3650).nullable().default(null),
  /** The previous values of written fields. After this time, users can no longer undo a run. */
  previousValues: z.int().min(7).max(3650).nullable().default(null),
  /**
   * Paid profiles. If null, donor-sync keeps them until they are too old to be delivered. If 0, donor-sync keeps no
   * profiles.
   */
  profiles: z.int().min(0).max(3650).nullable().default(null),
  /**
   * Data about contacts that have left the CRM. Excludes payments and the fingerprints of values that donor-sync wrote.
   */
  removedContacts: z.int().min(1).max(3650).nullable().default(null),
  /** The audit, which shows who did what. */
  audit: z.int().min(30).max(3650).nullable().default(null),
});

/** The prices from which *Results* computes the cost of a month's credits. */
const creditsSchema = z.strictObject({ price: creditPricesSchema.prefault({}) });

/**
 * This installation's app in HubSpot. The app's card and workflow action call donor-sync. Each installation needs its
 * own HubSpot app, because installations with a shared app would share its secret.
 */
const doorAppSchema = z.strictObject({
  /** The app's ID, which is a number. If the ID is not set, HubSpot shows no card. */
  appId: z
    .union([z.string().regex(/^\d+$/), z.int().positive().transform(String)])
    .nullable()
    .default(null),
  /** The secret with which HubSpot signs the calls. */
  clientSecret: z.string().trim().min(1).nullable().default(null),
  /**
   * The maximum number of a client's contacts that workflows may mark per day. If workflows try to mark more contacts,
   * donor-sync asks a user.
   */
  workflowPerDay: z.int().min(0).max(100_000).default(100),
});

export type DoorAppSettings = z.infer<typeof doorAppSchema>;

/** The actions that a second user must confirm. */
const twoPeopleSchema = z.strictObject({
  /**
   * A second user must confirm if a user approves or resubmits more contacts together than this number. If null, no
   * second user is needed.
   */
  approvals: z.int().min(1).nullable().default(null),
  /**
   * A second user must confirm the undo of a run that wrote to more contacts than this number. If null, no second user
   * is needed.
   */
  undo: z.int().min(0).nullable().default(null),
  /** True if a second user must confirm when a contact is also erased from the integrations of other accounts. */
  forgetEverywhere: z.boolean().default(false),
  /** True if a second user must confirm every erasure of a contact. */
  forget: z.boolean().default(false),
  /**
   * True if a second user must confirm the erasures that the CRM requests. If false, the first erasures of each day
   * need no confirmation.
   */
  forgetByCrm: z.boolean().default(false),
});

/**
 * A CRM app to which users grant access. The settings of the app contain the credentials that the app's administrator
 * received.
 */
const appSchema = z.strictObject({
  clientId: z.string().trim().min(1),
  /** The secret of the app. Omitted for public clients, if the CRM accepts public clients. */
  clientSecret: z.string().trim().min(1).optional(),
  /** The address at which users sign in to the CRM. Defaults to the CRM's own address. */
  url: z.url({ protocol: /^https?$/ }).optional(),
});

const appsShape = Object.fromEntries(
  REMOTE_CRMS.filter(({ setup }) => setup.signIns.some(({ browser }) => browser === 'app')).map(
    ({ kind }) => [kind, appSchema.nullable().default(null)],
  ),
);

/** Default values for the set-up in a browser. The set-up does not ask users for these values. */
const setupSchema = z
  .strictObject({
    /** The base URL of the Partner Data Service. */
    service: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null),
    /** Connector packages that users can choose in the set-up, in addition to the built-in kinds of CRM. */
    packages: z.array(z.string().trim().min(1)).default([]),
    ...appsShape,
  })
  .transform(({ service, packages, ...apps }) => ({
    service,
    packages,
    apps: z.record(z.string(), appSchema.nullable()).parse(apps),
  }));

/** The whole settings file (design, section 4.2). */
export const settingsSchema = z.strictObject({
  server: serverSchema.prefault({}),
  setup: setupSchema.prefault({}),
  alerts: alertsSchema.prefault({}),
  retention: retentionSchema.prefault({}),
  credits: creditsSchema.prefault({}),
  twoPeople: twoPeopleSchema.prefault({}),
  hubspot: doorAppSchema.prefault({}),
  database: databaseSchema.default('sqlite:data/donor-sync.db'),
  /** An additional file for the erasure log. On Postgres, it replaces the file next to the settings file. */
  erasureLog: z.string().trim().min(1).nullable().default(null),
  /** The path of the spending journal. See `Settings.spendingJournal`. */
  spendingJournal: z.string().trim().min(1).nullable().default(null),
  /** Hosts to which donor-sync may send keys and tokens over plain HTTP, although others could read them. */
  allowInsecureHttp: z.array(hostSchema).default([]),
  /** The integrations. The list may be empty if all integrations are in the database (`donor-sync apply`). */
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
