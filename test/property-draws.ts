import fc from 'fast-check';

/**
 * Property tests use the same random examples in every run. A change can therefore make them fail only through its
 * own effects. `PROPERTY_SEED` selects other examples, and `PROPERTY_SEED=any` selects new examples each time. A
 * failing property prints the seed and the path of its counterexample.
 */
const { PROPERTY_SEED: drawn = '20261123' } = process.env;

fc.configureGlobal(drawn === 'any' ? {} : { seed: Number(drawn) });
