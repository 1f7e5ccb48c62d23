import { Outlet } from 'react-router';
import '../i18n.ts';
export default function AccountLayout() { return <Outlet />; }
