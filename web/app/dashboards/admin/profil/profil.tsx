export { ProfileSection as default } from '../../parts/profile/profile-section.tsx';
