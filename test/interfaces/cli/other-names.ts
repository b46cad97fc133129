import { expect } from 'vitest';
import { EXIT_CODES } from '../../../src/interfaces/cli/terminal/output.ts';
import { type CliWorld, type CliWorldOptions, startAndSubmit } from '../../helpers/cli.ts';
import { holdJobs } from '../../helpers/held-jobs.ts';

/** The last name that all contacts have when their profiles arrive. */
export const STRANGER = 'Quillfeather-Onyx';

export interface OtherNames {
  options: CliWorldOptions;
  /** Submits all contacts, and then changes their last names before their profiles arrive, so each contact is held. */
  come(world: CliWorld): Promise<void>;
}

/** Returns helpers for contacts that get a different last name while their enhancement is in progress. */
export function otherNames(): OtherNames {
  const jobs = holdJobs();
  return {
    options: {
      service: jobs.service,
      // If the new name were read after the profile arrived, the contact would be submitted again.
      settings: '    refresh: { whenIdentityChanges: false }\n    guards: { trial: { size: 0 } }',
    },
    async come(world) {
      const { child, ended } = await startAndSubmit(world);
      child.kill('SIGTERM');
      // The service responds to the submissions in flight. The next run fetches the profiles.
      expect(await ended).toMatchObject({ exitCode: EXIT_CODES.stopped });
      jobs.letEnd();
      const rows = await world.rows();
      await world.saveRows(rows.map((row) => ({ ...row, Last: STRANGER })));
      const { stdout } = await world.run(['sync']);
      expect(stdout).toMatch(/^held +12 +the name in the profile/m);
    },
  };
}
