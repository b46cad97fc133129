/**
 * The bands of net worth from which users choose, in US dollars. The last band has no upper limit. The labels are
 * constants in the form of `moneyRangeLabel`. Formatting them in each process would take longer than deciding about 500
 * contacts.
 */
export const MONEY_BANDS: readonly string[] = [
  ...['$0 – $25K', '$25K – $50K', '$50K – $100K', '$100K – $250K', '$250K – $500K'],
  ...['$500K – $1M', '$1M – $5M', '$5M – $10M', '$10M – $25M', '$25M – $50M', '$50M – $100M'],
  ...['$100M – $500M', '$500M – $1B', '$1B – $5B', '$5B+'],
];
