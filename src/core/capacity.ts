/** Bands of giving capacity that pages show instead of an amount. The largest band comes first. */

export const CAPACITY_BANDS = [
  { id: '1m', from: 1_000_000, name: '$1M or more' },
  { id: '250k', from: 250_000, name: '$250,000 to $1M' },
  { id: '100k', from: 100_000, name: '$100,000 to $250,000' },
  { id: '25k', from: 25_000, name: '$25,000 to $100,000' },
  { id: '5k', from: 5_000, name: '$5,000 to $25,000' },
  { id: '0', from: 0, name: 'Less than $5,000' },
] as const;

export type CapacityBandId = (typeof CAPACITY_BANDS)[number]['id'];

export const CAPACITY_BAND_IDS = CAPACITY_BANDS.map(({ id }) => id);

/** Returns the index in `CAPACITY_BANDS` of an amount in US dollars, or null if the amount is unknown. */
export function findBand(amount: number | null): number | null {
  if (amount === null || !Number.isFinite(amount)) return null;
  const index = CAPACITY_BANDS.findIndex(({ from }) => amount >= from);
  return index === -1 ? CAPACITY_BANDS.length - 1 : index;
}

/** The net worth of a millionaire in US dollars. */
export const MILLION = 1_000_000;
