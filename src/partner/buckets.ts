/** The six credit buckets (service document, section 2.7); credits never move between them. */
export const BUCKETS = [
  'donors',
  'enhancements',
  'exports',
  'lists',
  'networks',
  'searches',
] as const;

export type Bucket = (typeof BUCKETS)[number];

/**
 * What a request takes credits from: a bucket (section 4.4); `unknown` where the document does not
 * say whether it costs anything; null if it is free. All but the free ones are never sent again
 * while it is open whether they were charged.
 */
export type Charge = Bucket | 'unknown' | null;
