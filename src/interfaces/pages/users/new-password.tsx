import { MIN_PASSWORD_LENGTH } from '../../../people/sign-in/password.ts';

/**
 * Renders the field in which a user chooses a password. The element with the ID `refused` contains the problem, if any.
 */
export function NewPassword(props: { label: string; hint: string; hasProblem: boolean }) {
  const { label, hint, hasProblem } = props;
  return (
    <>
      <label for="fresh">{label}</label>
      <input
        id="fresh"
        name="fresh"
        type="password"
        autocomplete="new-password"
        minlength={MIN_PASSWORD_LENGTH}
        aria-describedby={hasProblem ? 'fresh-hint refused' : 'fresh-hint'}
        required
      />
      <p class="quiet" id="fresh-hint">
        At least {MIN_PASSWORD_LENGTH} characters{hint}
      </p>
    </>
  );
}
