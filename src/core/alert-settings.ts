import { z } from 'zod';

/** What alerts can be about. */
export const ALERT_KINDS = [
  'runFailed',
  'runStopped',
  'keyExpires',
  'creditsLow',
  'held',
  'manyFailed',
  'auditEnd',
] as const;

const emailSchema = z.strictObject({
  to: z.array(z.email()).min(1),
  /** An address, or a name with an address: `donor-sync <sync@example.org>`. */
  from: z.string().trim().min(3),
  /** The mail server: `smtps://user:password@host:465`, or `smtp://` with STARTTLS. */
  smtp: z.url({ protocol: /^smtps?$/ }),
});

const webhookSchema = z.strictObject({
  /** Takes `{ "text": … }`, as incoming webhooks of Slack do. */
  url: z.url({ protocol: /^https?$/ }),
});

/** Who receives what is about one integration, beside those that the whole installation notifies. */
export const ownAlertsSchema = z.strictObject({ webhook: webhookSchema });

/** Who receives which alerts; without `email` and `webhook` none are sent. */
export const alertsSchema = z.strictObject({
  email: emailSchema.nullable().default(null),
  webhook: webhookSchema.nullable().default(null),
  /** What is worth telling. */
  on: z.array(z.enum(ALERT_KINDS)).default([...ALERT_KINDS]),
  /** Fewer credits than this left in a bucket are few; 0 switches this alert off. */
  creditsBelow: z
    .strictObject({
      enhancements: z.int().nonnegative().default(100),
      networks: z.int().nonnegative().default(100),
    })
    .prefault({}),
  /** More than so many percent of the contacts that a run wrote or could not write have failed; null switches this alert off. */
  failedAbovePercent: z.number().min(0).max(100).nullable().default(null),
  /** How long before `partner.expiresOn` an alert is sent. */
  keyExpiresWithinDays: z.int().min(1).max(365).default(14),
});

export type AlertKind = (typeof ALERT_KINDS)[number];
export type OwnAlerts = z.infer<typeof ownAlertsSchema>;
export type AlertSettings = z.infer<typeof alertsSchema>;
