import fc from 'fast-check';

/**
 * Property tests draw the same examples in every run, so a change fails only because of its own effects.
 * `PROPERTY_SEED` draws other examples, and `PROPERTY_SEED=any` draws new examples each time. A failing property prints
 * the seed and the path of its counterexample.
 */
const { PROPERTY_SEED: drawn = '20261123' } = process.env;

fc.configureGlobal(drawn === 'any' ? {} : { seed: Number(drawn) });
