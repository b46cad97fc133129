import { z } from 'zod';
import { ownAlertsSchema } from './alert-settings.ts';
import { fieldMappingSchema } from './field-map.ts';

/** A cron expression with its time zone. */
export const scheduleSchema = z.strictObject({
  /** Five fields: minute, hour, day of month, month, day of week. */
  cron: z.string().trim().min(1),
  /** An IANA name, for example `America/Chicago`. */
  timezone: z.string().trim().min(1).default('UTC'),
  /** True to run once at the next start if times passed while no process was serving. */
  catchUp: z.boolean().default(true),
  /**
   * The maximum delay after the scheduled time (ms), or 0 for none. Integrations with the same schedule start at
   * different times within this delay, so that they do not all start together.
   */
  jitterMs: z.int().min(0).max(3_600_000).default(30_000),
});

/** A limit in whole credits. Null means no limit. */
const creditLimit = z.int().nonnegative().nullable();

const markedValues = z.array(z.string().trim().min(1)).min(1);

/**
 * The part of the CRM that belongs to the integration, in the CRM's own filter language and field
 * names.
 */
export const contactsSchema = z.strictObject({
  filter: z.string().trim().min(1).nullable().default(null),
  optOutField: z.string().trim().min(1).nullable().default(null),
  /** The values that mean an opt-out, if `optOutField` is a picklist. */
  optOutValues: markedValues.nullable().default(null),
  /** The IDs of contacts that object. They count as opted out, whatever the CRM says. */
  objections: z.array(z.string().trim().min(1)).max(100_000).default([]),
  /** A field that marks deceased contacts, in addition to the CRM's fields that are known for this. */
  deceasedField: z.string().trim().min(1).nullable().default(null),
  /** A field that marks contacts who want no contact, in addition to the CRM's own known fields. */
  doNotContactField: z.string().trim().min(1).nullable().default(null),
  /** Values of `deceasedField` that mark a contact. If omitted, these are words for yes, and dates. */
  deceasedValues: markedValues.optional(),
  /** Values of `doNotContactField` that mark a contact. If omitted, these are words for yes, and dates. */
  doNotContactValues: markedValues.optional(),
  /**
   * Values of these fields that do not mark a contact. If a contact's value is in neither list, the contact
   * waits.
   */
  unmarkedValues: z
    .strictObject({
      optOut: markedValues.optional(),
      deceased: markedValues.optional(),
      doNotContact: markedValues.optional(),
    })
    .optional(),
  /** True if deceased contacts are enhanced anyway. */
  includeDeceased: z.boolean().default(false),
  /** True if contacts who want no contact are enhanced anyway. */
  includeDoNotContact: z.boolean().default(false),
});

/** Guards that stop spending that looks like a mistake, until a user has checked it. */
const guardsSchema = z.strictObject({
  /**
   * Purchases within seven days because the identity of known contacts changed. If they exceed this share of
   * the known contacts, and are at least this many, they wait for a user.
   */
  massChange: z
    .strictObject({
      share: z.number().min(0).max(1).default(0.1),
      atLeast: z.int().min(1).default(25),
    })
    .prefault({}),
  /**
   * The limits for missing contacts that were found within seven days without a sign that they were deleted. If they
   * exceed this share of the list, and are at least this many, a user must confirm before any of them counts as
   * removed. A user must also confirm if more than half of a list of at least five contacts is missing, and for every
   * empty list.
   */
  departures: z
    .strictObject({
      share: z.number().min(0).max(1).default(0.1),
      atLeast: z.int().min(1).default(25),
    })
    .prefault({}),
  /**
   * The first submission under a mapping, with at most `size` people. Nothing more is sent unless the service
   * recognises at least the share `minKnown` of them. If the size is 0, there is no trial.
   */
  trial: z
    .strictObject({
      size: z.int().min(0).max(100).default(25),
      minKnown: z.number().min(0).max(1).default(0.1),
    })
    .prefault({}),
});

/** How certain the service has to be of its match. */
export const matchSchema = z.strictObject({
  /** Profiles with a lower probability wait for a user. Null accepts all profiles. */
  minProbability: z.number().min(0).max(1).nullable().default(null),
});

/** The number of days for which the client's data is kept, if that is shorter than for all clients. */
const ownRetentionSchema = z.strictObject({
  /** How long paid profiles are kept. Null uses the setting for all clients, and 0 keeps none. */
  profiles: z.int().min(0).max(3650).nullable().default(null),
});

const refreshSchema = z.strictObject({
  /** The number of days after which a profile is requested again, or null if never. */
  afterDays: z.int().positive().nullable().default(365),
  /** True if a credit is spent again after a change of name, address or employer. */
  whenIdentityChanges: z.boolean().default(true),
});

/** The limits of one credit bucket. */
const creditLimitsSchema = z.strictObject({
  /** How many of the bucket's credits one run may spend. */
  perRun: creditLimit.default(null),
  /** How many credits may be spent in one calendar month of the schedule's time zone. */
  perMonth: creditLimit.default(null),
  /** The number of credits that are always left in the bucket. */
  keep: z.int().nonnegative().default(0),
});

/** The limits of the enhancements bucket and, nested, of the networks bucket. */
export const budgetSchema = creditLimitsSchema.extend({
  networks: creditLimitsSchema.prefault({}),
});

export const networkSchema = z.strictObject({
  name: z.string().trim().min(1),
  color: z.string().trim().min(1).default('teal'),
  /** One key, which is the kind of group, with its selection. Each connector defines its own kinds. */
  group: z.record(z.string(), z.unknown()),
});

const insightsSchema = z.strictObject({
  enabled: z.boolean().default(true),
  /** The weakest connection that counts as a warm path, 0 to 1. */
  minStrength: z.number().min(0).max(1).default(0.45),
  /** The number of days after which a path is computed again even without a known change, or null if never. */
  refreshAfterDays: z.int().positive().nullable().default(90),
  /** Limits for services that charge for queries. They have no effect if queries are free. */
  budget: z
    .strictObject({
      /** How many credits one run's queries may spend. Null means no limit. */
      perRun: creditLimit.default(1_000),
      /** The number of credits that are always left in the bucket. */
      keep: z.int().nonnegative().default(0),
    })
    .prefault({}),
});

const privacySchema = z.strictObject({
  /**
   * How contacts are erased that the CRM marks for erasure: after a question to a user, or up to 25 a day without a
   * question.
   */
  crmRequests: z.enum(['ask', 'erase']).default('ask'),
});

const partnerSchema = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/ }),
  apiKey: z.string().trim().min(1),
  /**
   * The last day (UTC) on which the key works, according to its issuer. The service does not report this day.
   */
  expiresOn: z.iso.date().optional(),
  /**
   * True to spend credits only once on people who are in several contacts, here or in other integrations with the same
   * key. If false, the integration neither uses other integrations' profiles nor shares its own.
   */
  shareProfiles: z.boolean().default(true),
});

/** One integration in the settings (design, section 4.2). */
export const integrationSchema = z.strictObject({
  id: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      'use lower-case letters, digits and hyphens, at most 63 characters',
    ),
  name: z.string().trim().min(1).optional(),
  schedule: scheduleSchema.nullable().default(null),
  partner: partnerSchema,
  /** The CRM. `kind` selects the connector, whose own schema checks the rest. */
  crm: z.looseObject({ kind: z.string().trim().min(1) }),
  contacts: contactsSchema.prefault({}),
  refresh: refreshSchema.prefault({}),
  retention: ownRetentionSchema.prefault({}),
  privacy: privacySchema.prefault({}),
  budget: budgetSchema.prefault({}),
  guards: guardsSchema.prefault({}),
  match: matchSchema.prefault({}),
  /** If omitted, the connector's default map is used. */
  fields: z.array(fieldMappingSchema).optional(),
  networks: z.array(networkSchema).default([]),
  insights: insightsSchema.prefault({}),
  /** Recipient of this integration's alerts, in addition to the recipients of the whole installation. */
  alerts: ownAlertsSchema.optional(),
  /**
   * If `public`, requests cannot reach addresses of a private network, except addresses that the operator allows. A
   * set-up in a browser sets this. Omitted if an operator has written the addresses.
   */
  addresses: z.literal('public').optional(),
  /** The handling of contacts whose submission was charged although its response was lost. */
  onLostAnswer: z.enum(['hold', 'resubmit']).default('hold'),
  /** The quiet time after a lost response before the balance is trusted. */
  settleAfterMs: z.int().nonnegative().default(90_000),
});

/** One CRM account that is connected to one service key, with its settings. */
export type Integration = z.infer<typeof integrationSchema>;
export type Schedule = z.infer<typeof scheduleSchema>;
export type Budget = z.infer<typeof budgetSchema>;
export type CreditLimits = z.infer<typeof creditLimitsSchema>;
export type NetworkSetting = z.infer<typeof networkSchema>;
export type Guards = z.infer<typeof guardsSchema>;
export type Refresh = z.infer<typeof refreshSchema>;
