import { callFunction } from './call-function.ts';

/** F-11, P-05: deletes the test data. The page reloads after it (AD-02). */
export async function cleanDatabase(): Promise<void> {
  await callFunction('clean-database');
}
