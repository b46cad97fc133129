import { expect } from 'vitest';
import { EXIT_CODES } from '../../../src/interfaces/cli/terminal/output.ts';
import { type CliWorld, type CliWorldOptions, startAndSubmit } from '../../helpers/cli.ts';
import { holdJobs } from '../../helpers/held-jobs.ts';

/** The last name of everybody, once their profiles come. */
export const STRANGER = 'Quillfeather-Onyx';

export interface OtherNames {
  /** The options that a world needs for this. */
  options: CliWorldOptions;
  /** All contacts are submitted and get the other last name. Then their profiles arrive, and each is held. */
  come(world: CliWorld): Promise<void>;
}

/** Contacts that get a different last name while their enhancement is in progress. */
export function otherNames(): OtherNames {
  const jobs = holdJobs();
  return {
    options: {
      service: jobs.service,
      // If it is read after the profile has arrived, a different name would be a reason to submit again.
      settings: '    refresh: { whenIdentityChanges: false }\n    guards: { trial: { size: 0 } }',
    },
    async come(world) {
      const { child, ended } = await startAndSubmit(world);
      child.kill('SIGTERM');
      // Submissions in flight get their responses. Their profiles are left for the next run.
      expect(await ended).toMatchObject({ exitCode: EXIT_CODES.stopped });
      jobs.letEnd();
      const rows = await world.rows();
      await world.saveRows(rows.map((row) => ({ ...row, Last: STRANGER })));
      const { stdout } = await world.run(['sync']);
      expect(stdout).toMatch(/^held +12 +the name in the profile/m);
    },
  };
}
