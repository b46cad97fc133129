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
 * The bucket from which a request takes credits (section 4.4); `unknown` if the document does not say whether it costs
 * anything, or null if it is free. While it is unknown whether a request was charged, only free requests are repeated.
 */
export type Charge = Bucket | 'unknown' | null;
