import fc from 'fast-check';

/**
 * Properties draw the same examples in every run, so a change only fails because of its own effects. `PROPERTY_SEED`
 * draws others, `PROPERTY_SEED=any` new ones each time. A property that fails prints the seed and the path of its
 * counterexample.
 */
const { PROPERTY_SEED: drawn = '20261123' } = process.env;

fc.configureGlobal(drawn === 'any' ? {} : { seed: Number(drawn) });
