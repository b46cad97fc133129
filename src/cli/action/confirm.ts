import { ConfigurationError } from '../../core/errors.ts';
import type { ProductDeps } from './product.ts';

/**
 * Asks before something is done that is not undone easily. Throws a ConfigurationError (nothing
 * was changed) if the answer is no, or if there is nobody to ask and `--yes` was not given.
 */
export async function confirmOrStop(
  { stdin, stderr }: Pick<ProductDeps, 'stdin' | 'stderr'>,
  question: string,
  yes: boolean,
): Promise<void> {
  if (yes) return;
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new ConfigurationError(
      `${question} Nobody can be asked here without a terminal: add --yes to do it.`,
      { code: 'confirmation_missing' },
    );
  }
  const { createPrompts } = await import('../terminal/asker.ts');
  if (await createPrompts({ input: stdin, output: stderr }).confirm(question)) return;
  throw new ConfigurationError('Nothing was changed.', { code: 'not_confirmed' });
}
