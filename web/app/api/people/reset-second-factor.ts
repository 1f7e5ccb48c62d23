import { callFunction } from '../transport/call-function.ts';

/** AU-17: lets in again whoever is no admin and lost their second step. Gives how many were removed, and the sentence that says so. */
export async function resetSecondFactor(personId: string): Promise<{ removed: number; message: string }> {
  return callFunction('reset-second-factor', { body: { person_id: personId } });
}
