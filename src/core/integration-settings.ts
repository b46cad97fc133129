import { z } from 'zod';
import { ownAlertsSchema } from './alert-settings.ts';
import { fieldMappingSchema } from './field-map.ts';

/** A cron expression with its time zone. */
export const scheduleSchema = z.strictObject({
  /** A cron expression with five fields: minute, hour, day of month, month, day of week. */
  cron: z.string().trim().min(1),
  /** The time zone as an IANA name, for example `America/Chicago`. */
  timezone: z.string().trim().min(1).default('UTC'),
  /** True if a missed scheduled time is caught up. */
  catchUp: z.boolean().default(true),
  /**
   * The maximum delay after the scheduled time (ms). Integrations with the same schedule start at different times
   * within this delay.
   */
  jitterMs: z.int().min(0).max(3_600_000).default(30_000),
});

/** A limit in whole credits. Null means no limit. */
const creditLimit = z.int().nonnegative().nullable();

const markedValues = z.array(z.string().trim().min(1)).min(1);

export const contactsSchema = z.strictObject({
  filter: z.string().trim().min(1).nullable().default(null),
  optOutField: z.string().trim().min(1).nullable().default(null),
  /** The values that mean an opt-out, if `optOutField` is a picklist. */
  optOutValues: markedValues.nullable().default(null),
  /**
   * The IDs of contacts that object to enhancement. Contacts in this list count as opted out, whatever the CRM shows.
   */
  objections: z.array(z.string().trim().min(1)).max(100_000).default([]),
  /** An additional field that marks deceased contacts. */
  deceasedField: z.string().trim().min(1).nullable().default(null),
  /** An additional field that marks contacts who do not want to be contacted. */
  doNotContactField: z.string().trim().min(1).nullable().default(null),
  /** The values of `deceasedField` that mark a contact. Defaults to words for yes, and dates. */
  deceasedValues: markedValues.optional(),
  /** The values of `doNotContactField` that mark a contact. Defaults to words for yes, and dates. */
  doNotContactValues: markedValues.optional(),
  /** Values that do not mark a contact. A contact with a value that is in no list waits. */
  unmarkedValues: z
    .strictObject({
      optOut: markedValues.optional(),
      deceased: markedValues.optional(),
      doNotContact: markedValues.optional(),
    })
    .optional(),
  includeDeceased: z.boolean().default(false),
  /** True to enhance contacts even if they do not want to be contacted. */
  includeDoNotContact: z.boolean().default(false),
});

/** Guards that stop spending if a mistake is likely. A user must check the contacts before spending continues. */
const guardsSchema = z.strictObject({
  /**
   * The limit for contacts whose identity changed within seven days. Above this limit, a user must decide before
   * profiles are bought for these contacts.
   */
  massChange: z
    .strictObject({
      share: z.number().min(0).max(1).default(0.1),
      atLeast: z.int().min(1).default(25),
    })
    .prefault({}),
  /**
   * The limit for contacts that go missing within seven days, although the CRM does not report them as deleted. Above
   * this share and this number, a user must confirm before donor-sync removes any contact. A user must also confirm if
   * the list is empty, or if more than half of at least five contacts are missing.
   */
  departures: z
    .strictObject({
      share: z.number().min(0).max(1).default(0.1),
      atLeast: z.int().min(1).default(25),
    })
    .prefault({}),
  /**
   * The trial, which is the first submission with a new mapping. A trial contains at most `size` people. Spending
   * continues only if the service recognises at least the share `minKnown`. A size of 0 means no trial.
   */
  trial: z
    .strictObject({
      size: z.int().min(0).max(100).default(25),
      minKnown: z.number().min(0).max(1).default(0.1),
    })
    .prefault({}),
});

/** The settings about the certainty of a match. */
export const matchSchema = z.strictObject({
  /** Profiles with a lower probability wait for a user's decision. Null accepts every profile. */
  minProbability: z.number().min(0).max(1).nullable().default(null),
});

/** The retention of this client's data, in days. A client's retention can only be shorter than the general setting. */
const ownRetentionSchema = z.strictObject({
  /** The retention of paid profiles, in days. Null uses the general setting, and 0 keeps no profiles. */
  profiles: z.int().min(0).max(3650).nullable().default(null),
});

const refreshSchema = z.strictObject({
  /** The number of days after which a profile is bought again. Null means never. */
  afterDays: z.int().positive().nullable().default(365),
  /** True to buy a profile again after a change of name, address or employer. */
  whenIdentityChanges: z.boolean().default(true),
});

const creditLimitsSchema = z.strictObject({
  /** The maximum number of credits that one run may spend. */
  perRun: creditLimit.default(null),
  /** The maximum number of credits per calendar month, in the schedule's time zone. */
  perMonth: creditLimit.default(null),
  /** The number of credits that must remain in the bucket. */
  keep: z.int().nonnegative().default(0),
});

/** The limits for the enhancements bucket. The limits for the networks bucket are nested in them. */
export const budgetSchema = creditLimitsSchema.extend({
  networks: creditLimitsSchema.prefault({}),
});

export const networkSchema = z.strictObject({
  name: z.string().trim().min(1),
  color: z.string().trim().min(1).default('teal'),
  /** The group in the CRM. Each connector defines the kinds of groups in its CRM. */
  group: z.record(z.string(), z.unknown()),
});

const insightsSchema = z.strictObject({
  enabled: z.boolean().default(true),
  /** The minimum strength of a connection in a warm path, from 0 to 1. */
  minStrength: z.number().min(0).max(1).default(0.45),
  /** The number of days after which a path is computed again, even without a known change. Null means never. */
  refreshAfterDays: z.int().positive().nullable().default(90),
  /** The limits for queries, if the service charges for them. These limits have no effect if queries are free. */
  budget: z
    .strictObject({
      /** The maximum number of credits for the queries of one run. Null means no limit. */
      perRun: creditLimit.default(1_000),
      /** The number of credits that must remain in the bucket. */
      keep: z.int().nonnegative().default(0),
    })
    .prefault({}),
});

const privacySchema = z.strictObject({
  /**
   * The handling of contacts that the CRM marks for erasure. With `ask`, a user decides. With `erase`, up to 25
   * contacts a day are erased automatically.
   */
  crmRequests: z.enum(['ask', 'erase']).default('ask'),
});

const partnerSchema = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/ }),
  apiKey: z.string().trim().min(1),
  /** The last day (UTC) on which the key is valid, according to its issuer. The service does not report this day. */
  expiresOn: z.iso.date().optional(),
  /**
   * True to spend one credit per person, even if several contacts, or integrations with the same key, contain the
   * person. If false, the integration neither uses nor provides shared profiles.
   */
  shareProfiles: z.boolean().default(true),
});

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
  /** The CRM's settings. `kind` selects the connector, whose schema checks the other settings. */
  crm: z.looseObject({ kind: z.string().trim().min(1) }),
  contacts: contactsSchema.prefault({}),
  refresh: refreshSchema.prefault({}),
  retention: ownRetentionSchema.prefault({}),
  privacy: privacySchema.prefault({}),
  budget: budgetSchema.prefault({}),
  guards: guardsSchema.prefault({}),
  match: matchSchema.prefault({}),
  /** The field map. Defaults to the connector's field map. */
  fields: z.array(fieldMappingSchema).optional(),
  networks: z.array(networkSchema).default([]),
  insights: insightsSchema.prefault({}),
  /** An additional recipient of this integration's alerts. */
  alerts: ownAlertsSchema.optional(),
  /**
   * `public` blocks private networks, except addresses that the operator allows. The set-up in a browser sets this.
   * Omitted if an operator set the addresses.
   */
  addresses: z.literal('public').optional(),
  /** The handling of contacts whose response was lost but whose credit was charged. */
  onLostAnswer: z.enum(['hold', 'resubmit']).default('hold'),
  /** The time without requests after which the balance shows whether a lost response was charged. */
  settleAfterMs: z.int().nonnegative().default(90_000),
});

export type Integration = z.infer<typeof integrationSchema>;
export type Schedule = z.infer<typeof scheduleSchema>;
export type Budget = z.infer<typeof budgetSchema>;
export type CreditLimits = z.infer<typeof creditLimitsSchema>;
export type NetworkSetting = z.infer<typeof networkSchema>;
export type Guards = z.infer<typeof guardsSchema>;
export type Refresh = z.infer<typeof refreshSchema>;
